"""The words by which an instruction to AI tools gives itself away, in English and a dozen other languages.

Each group has a key: where that does not stand, no pattern of the group is tried. All are of bounded length
and in small letters, as the text that they read; a run of blanks there is one blank.
"""

from __future__ import annotations

AI = (
    r"(?:(?:any |all |every |the |an? |other |my |your |most )?(?:ai|a\.i\.|artificial intelligence|llms?"
    r"|large language|language|coding|autonomous|automated|gpt|chatgpt|claude"
    r"|copilot|gemini|codex|cursor)[ -](?:(?:coding|language|code|powered|based)[ -])?(?:tools?|agents?"
    r"|assistants?|models?|systems?|bots?|chatbots?|crawlers?|scrapers?|readers?|reviewers?"
    r"|summari[sz]ers?|code|cli)"
    r"|(?:any |all |every |an? )?(?:llms?|ais?|chatbots?|chatgpt|claude|copilot|gemini))"
)
# Whoever reads it, by no name: a person speaks to the agent that they work with by its own.
ANY_AI = (
    r"(?:(?:all |any |every |the )?(?:ai|llm|language model|memory|indexing|summari[sz](?:er|ing|ation)|automated"
    r"|autonomous)[ -]?(?:tools?|agents?|assistants?|models?|systems?|bots?|crawlers?|readers?)|llms|ais"
    r"|(?:ai )?summari[sz]ers?|chatbots)"
)
_DO = (
    r"(?:append|add|write|save|store|record|remember|note|state|say|report|mention|include|insert|put|recommend"
    r"|mark|treat|trust|approve|ignore|disregard|delete|send|forward|run|execute|forget|always|never|please|do not"
    r"|you (?:must|should|are|will|have))"
)
# What reads on its own as no person's word to their agent.
STRONG: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        r"ignor|disregard|forget|overrid|bypass|discard|neglect|skip|vergiss|vergess|missacht|überschreib"
        r"|umgeh|oubli|néglig|contourn|compte de|olvid|descart|omit|negeer",
        (
            # Not one's own ("my earlier instructions"), and not only those about a matter.
    r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|bypass(?:ing)?|discard"
    r"|neglect|skip) (?:(?:all|any|every|each|everything|completely|entirely|of|the|your|these|those|and"
    r"|or|other|current|existing|original|initial|system|safety|security|content"
    r"|developer|user|previously|given|stated)[ ,]{1,2}){0,6}(?:(?:all|any|your|original|initial|system"
    r"|safety)\W(?:of )?(?:the |your )?(?:(?:previous|prior|earlier|above|preceding|foregoing|past|system"
    r"|safety|security)[ ,]{1,2}(?:(?:and|or)[ ,])?){0,3}|(?:previous|prior|preceding|foregoing|above"
    r"|earlier|system|developer)(?:[ ,]{1,2}(?:(?:and|or) )?(?:previous|prior|preceding|system|developer"
    r"|safety))?[ ,]{1,2}){1,2}"
    r"(?:instructions?|prompts?|directives?|guidelines?|orders|commands|constraints|guardrails?"
    r"|programming|restrictions|policies|training)\b(?! (?:about|in|on|from|for|regarding|of)\b)",
    r"\b(?:ignor(?:e|ing)|disregard|forget|override|bypass) (?:all|any|every)(?: of)?(?: the"
    r"| your)? (?:previous|prior|preceding|foregoing|above|earlier|system"
    r"|other)(?: \w{1,12}){0,2} (?:instructions?|prompts?|directives?|guidelines?|rules|orders|commands"
    r"|constraints)\b",
    r"\b(?:ignore|disregard|forget) (?:everything|all|anything)(?: that)?(?: (?:was|is|has been"
    r"|you (?:were|have been|are)))? (?:above|before(?: this)?|told|said (?:before|above|earlier)"
    r"|you were told|previously (?:said|told))\b(?=[^\n]{0,200}(?:\binstead\b|\byou (?:are|must|will)\b"
    r"|\bnow\b|\boutput\b|\breveal\b|\bprint\b))",
    r"\b(?:ignore|override|disregard|forget|bypass) your (?:\w{1,12} ){0,3}(?:instructions?|prompts?"
    r"|directives?|guidelines?|rules|programming|guardrails?|restrictions|safety \w+|training)\b",
    r"\b(?:ignorier|missacht|vergiss|vergesst|vergessen sie|überschreib"
    r"|umgeh)\w{0,4}(?: sie)?(?: bitte)?(?: (?:alle|sämtliche|jegliche|die|deine|ihre|eure"
    r"|all)){1,3}(?: (?:vorherigen?|bisherigen?|vorangegangenen?|vorigen?|früheren?|obigen?"
    r"|vorhergehenden?|deine|bestehenden)){1,2} (?:anweisung|instruktion|befehl|vorgab|regel|prompt"
    r"|direktive|richtlinie)\w{0,3}",
    r"\b(?:ignore[zr]?|oublie[zr]?|néglige[zr]?|contourne[zr]?|ne (?:tiens|tenez) (?:plus "
    r"|pas )?compte de)(?: (?:toutes?|tous|l'ensemble de|les|tes|vos|ces|des)){0,4} (?:instructions?"
    r"|consignes?|directives?|règles|ordres) (?:précédent|antérieur|ci-dessus|initial|du système"
    r"|système)\w{0,4}",
    r"\b(?:ignor(?:a|e|en|ad|ar)|olvid(?:a|e|en|ar)|descart(?:a|e|en)|omit(?:e|a|an))(?: (?:todas?|todos"
    r"|las|los|as|os|tus|sus|cualquier|estas)){0,4} (?:instrucciones|indicaciones|órdenes|directrices"
    r"|reglas|instrução|instruções|ordens)(?: \w{2,12})? (?:anterior|previ|de arriba|del sistema"
    r"|do sistema|acima)\w{0,4}",
    r"\bignor(?:a|ate|i)(?: (?:tutte|tutti|le|i)){1,3} (?:istruzioni|direttive|regole|comandi) precedenti",
    r"\bnegeer (?:alle|de|je)(?: (?:voorgaande|vorige|eerdere|bovenstaande)){1,2} (?:instructies"
    r"|opdrachten|aanwijzingen|regels)|\b(?:als|indien) (?:je|jij|u) (?:een )?(?:ai|llm|taalmodel)\b",
        ),
    ),
    (
        r"summari|owner|author|maintain|admin|hidden|secret|injected|whichever|whatever|indexing|memory|prompt for"
        r"|prompt to|system|assistant|disregard|forget|ignore|the user|for the ai|for ai|for any ai",
        (
    r"\b(?:keep|hide|conceal) (?:this|that|it)(?: \w{1,10}){0,2} from the user\b",
    r"\b(?:do not|don'?t|never|without) (?:tell|inform|alert|notify|warn)(?:ing)? the user\b[^\n]{0,40}\b(?:about this"
    r"|of this|but|and) (?:\w{1,10} ){0,2}(?:remember|save|store|record|write|add|note)\b",
    r"\binstructions? (?:for|to) (?:the |any |all )?(?:summari[sz]ers?|assistants?|models?|bots?"
    r"|memory (?:tools?|systems?))\s?:",
    r"(?:^|\n)[\W_]{0,6}system[\W_]{0,4}\n[\W_]{0,6}(?:you|ignore|disregard|forget|from now on)\b",
    r"(?:^|\n)\W{0,3}(?:assistant|ai|bot)\s?:\s?(?:ignore|disregard|forget|do not tell)\b",
    rf"\bwhen(?:ever)? (?:an? |any |the )?(?:{ANY_AI}|{AI}) (?:reads?|process\w{{0,3}}|summari[sz]\w{{1,3}}|sees?"
    rf"|opens?|indexe?s?)[^\n.]{{0,60}},? (?:it|they|you) (?:should|must|will|shall|is to|are to)\b",
    rf"\bthis (?:message|text|paragraph|note|section|comment|part|line) is (?:only )?(?:meant |intended |addressed )?"
    rf"(?:for|to) (?:the |any |all )?(?:ai|llm|ais|llms|assistant|{ANY_AI})\b",
    r"\b(?:owner|author|maintainer|admin(?:istrator)?|operator)s? of (?:this|the) (?:repo(?:sitory)?|page|document|site"
    r"|website|project|file) (?:wants?|asks?|requires?|requests?|instructs?|needs?) you to\b",
    r"\b(?:begin|start)(?: of)?(?: the)? (?:hidden|secret|system|ai|injected) (?:prompt|instructions?|message)\b",
    r"\bto (?:whichever|whatever|any|every|each) (?:bot|ai|agent|assistant|model|llm|crawler|tool)s?\b[^\n:]{0,40}:",
    rf"\b(?:attention|note to|notice to|dear|hello|hi),? {ANY_AI}\s?[:,!]",
    rf"\bprompt (?:for|to) (?:the |any |all )?(?:ai|llm|model|assistant|{AI})\s?:",
    r"\b(?:disregard|forget|ignore) (?:everything |all |anything )?(?:what(?:ever)? |that )?you (?:were|have been|are)"
    r" told\b[^\n]{0,60}(?:new (?:task|instructions?|goal|orders?)|instead)\b",
    r"\bif you(?:'re| are) (?:an? )?(?:summari[sz]ing|indexing|processing|parsing|analy[sz]ing) this (?:conversation"
    r"|page|text|document|message|issue|mail|email|ticket|log)\b",
        ),
    ),
    (
        r"(?<![a-z])(?:a\.?i|llms?|ais|gpt|chatgpt|claude|copilot|gemini|codex|cursor|chatbots?|ki"
        r"|ias?)(?![a-z])|artificial|language model|coding (?:tool|agent|assist)|(?:autonomous"
        r"|automated) (?:tool|agent|assist|system|bot|review|read)|künstlich|sprachmodell|langage|lenguaje"
        r"|inteligencia|intelligen|inteligência|taalmodel|linguagem",
        (
    rf"\b(?:attention|dear|hey|hello|hi|notice|note|message|instructions?|directives?|important|warning"
    rf"|memo|reminder|psa|info(?:rmation)?|request|guidance|(?:for|to) (?:any|all|every))\W{{1,3}}(?:(?:to"
    rf"|for|from|all|any|every|message|note|notice|important|instructions?)[ :]{{1,2}}){{0,3}}{AI}(?:(?: (?:on"
    rf"ly|and \w{{2,20}}(?: \w{{2,20}})?))?\s?(?:[:!]|[,—–-]\s?(?:you|please|do|ignore|this|your|if|when"
    rf"|read|run|mark|push|add|set|send|stop|must|execute|follow|the following|before|as)\b)"
    rf"|(?: [\w'’-]{{1,20}}){{1,8}}\s?:\W{{0,3}}(?:you|please|do|don'?t|always|never|if|when|before|write|add|mark"
    rf"|set|run|push|send|record|treat|note|say|state|tell|include|insert|delete|remove|approve|execute|ignore"
    rf"|use|keep|save|store|put|append|answer|reply|open|close|merge|install|download|forward)\b)",
    rf"\b(?!an? |our |my )(?<!\ba )(?<!\ban )(?<!\bour )(?<!\bmy ){AI}(?:,? (?:that|who|which)(?: (?:is|are"
    rf"|may be|might be))?)? (?:reading|processing|parsing|seeing|analy[sz]ing|summari[sz]ing|viewing"
    rf"|handling|accessing|scanning|indexing|ingesting|reviewing|reads?|process(?:es)?|pars(?:es?)|sees?"
    rf"|summari[sz]es?|review(?:s)?) (?:this|these|the following|the above)\b",
    rf"\b(?:if|when|since|because|as) you(?:'re|’re| are)(?: \w{{1,12}})? {AI}\b(?! (?:company|compan"
    rf"|startup|lab|hater|fan|s[ck]eptic|team|person|engineer|researcher|developer|expert|student|user"
    rf"|founder|vendor|enthusiast|nerd))",
    rf"\b(?:if|when) {AI} (?:is|are) (?:reading|processing|parsing|seeing|summari[sz]ing|reviewing"
    rf"|looking at) this\b",
    rf"(?:^|[\n.!?\"“(\[>*#]\s{{0,4}})(?:all )?{ANY_AI}\s?[,:]\s?{_DO}\b",
    rf"(?:^|[\n.!?\"“(\[>*#]\s{{0,4}}){AI}\s?[,:]\s?(?:you must (?:run|execute|follow|obey|now)|execute the following"
    rf"|obey|disregard (?:all|your|the))\b",
    r"\b(?:wenn|falls|sofern|da) (?:du|sie|ihr) (?:(?:eine?|als) )?(?:ki|ai|künstliche intelligenz"
    r"|sprachmodell|ki-\w{2,20}|ai-\w{2,20}|llm)\b[^\n.]{0,30}",
    r"\b(?:an alle|achtung,?|hinweis (?:an|für)|anweisung(?:en)? (?:an|für)|nachricht an"
    r"|liebe)(?: alle)? (?:ki|ai|llm|sprachmodell)[\w-]{0,20}(?: \w{2,15}){0,4}\s?[:,!]",
    r"\b(?:ki|ai)[- ](?:tools?|werkzeuge|agenten|assistenten|systeme|modelle|assistent),? (?:die|der|das"
    r"|welche) (?:dies|das|diesen text|dies hier)[^\n.:]{0,20} (?:lesen|liest|verarbeiten|verarbeitet)",
    r"\b(?:si (?:tu es|vous êtes)|(?:à l'attention|à destination|note à l'attention) (?:des?|de l'"
    r"|de toutes? les)|attention aux?|consignes? pour les|instructions? pour les) ?(?:une? |toute? "
    r"|l')?(?:ia\b|intelligences? artificielles?|assistants? ia|agents? ia|outils? (?:d')?ia"
    r"|modèles? de langage|llm)",
    r"\b(?:si eres |si usted es |se você é |se sei |atención,? (?:a )?(?:las )?|nota para(?: las)? "
    r"|instrucciones para(?: las)? |mensaje para(?: las)? )(?:una? |um |un')?(?:ias?\b"
    r"|inteligencias? artificial(?:es)?|inteligência artificial|intelligenza artificiale|asistentes? de ia"
    r"|asistentes? ia|agentes? de ia|agentes? ia|herramientas? de ia|modelos? de lenguaje"
    r"|modelo de linguagem|assistente (?:de )?ia|llm)",
        ),
    ),
    (
        r"system|override|developer|admin|prompt|instruction|directive|orders|rules|you are (?:now|no longer)|mode\b",
        (  # a role, forged
    r"\bsystem override\b(?! (?:in|for|of|files?|tables?|is|are|was|does|button|switch|settings?)\b)"
    r"|\b(?:admin(?:istrator)?|root|developer|security) override\s?[:!]",
    r"(?:\[|\*\*|==|--|#|<|^|\n)[ \t]{0,3}(?:begin|start of|end of|new|updated|hidden|urgent|important"
    r"|critical)? ?(?:system|assistant|developer|admin)[ -](?:prompt|instructions?|message|directive"
    r"|notice|note|command|update)(?:\]|\*\*|==|--|#|>|:)(?![^\n]{0,40}\?)",
    r"(?:\[|^|\n)[ \t]{0,3}\[?system\]?[ \t]{0,2}:?[ \t]{1,3}(?:you (?:are|must|will|should|have|can)"
    r"|ignore|disregard|new (?:instructions?|task|rule)|override|from now on|important)\b",
    r"\bnew (?:instructions?|directives?|orders|rules|prompt)(?: from (?:the )?(?:system|developer"
    r"|admin(?:istrator)?|user|owner|operator|anthropic|openai|google))?\s?: ?(?:you|ignore|disregard"
    r"|do not|don'?t|always|never|from now on|mark|push|send|run|execute|reveal|print|output)\b",
    r"\byou are (?:now|no longer) (?:in )?(?:(?:an? |the )?(?:dan\b|jailbroken|unrestricted|unfiltered"
    r"|uncensored|developer mode|admin mode|god mode|root mode|bound by|restricted|evil|different (?:ai"
    r"|assistant)))",
    r"\b(?:enter|enable|activate|switch (?:in)?to) (?:developer|dan|jailbreak|god|unrestricted|admin"
    r"|debug) mode\b(?=[^\n]{0,160}\b(?:you|your|all|ignore|restrictions?|safety|instructions)\b)",
    r"\b(?:reveal|print|output|show|repeat|leak|dump|disclose|display) (?:me )?(?:your"
    r"|the) (?:\w{1,12} ){0,2}(?:system prompt|hidden prompt|initial prompt|initial instructions"
    r"|system instructions|hidden instructions)\b(?=[^\n]{0,200}(?:\bignore\b|\bto http|\bverbatim\b"
    r"|\bword for word\b))",
        ),
    ),
    (
        r"игнорируй|забудь|если (?:ты|вы)|[忽无忘忽無不请如若假致给給告正阅读前上以こ今]|あなた|もし|[이위앞기]",
        (
    r"(?:игнорируй|игнорируйте|забудь|забудьте)(?: (?:все|всё|любые|ваши|твои)){0,2} (?:предыдущие|прежние"
    r"|прошлые|вышеуказанные) (?:инструкции|указания|команды|правила)|если (?:ты"
    r"|вы)\s?[—-]?\s?(?:являешься |являетесь )?(?:ии\b|искусственн|языков|нейросет)",
    r"(?:忽略|无视|忘记|忘掉|忽視|無視|不要理会|請忽略|请忽略)(?:掉)?(?:你)?(?:所有|全部|一切|任何)?(?:的)?(?:之前|以前|先前|以上|上面|上述|前面|此前|系统"
    r"|之前所有|之前收到|所有之前)(?:的|所有|全部|一切|给你|收到){0,4}(?:指令|指示|提示词?|说明|規則|规则|命令|要求|內容)",
    r"(?:如果|若|假如)(?:你|您)(?:是|为)(?:一个|一個|一名|一款)?(?:ai|人工智能|人工智慧|大?语言模型|語言模型|智能助手|机器人|llm)|(?:致|给|給|告诉)(?:所有"
    r"|各位)?(?:的)?(?:ai|人工智能|大?语言模型)(?:助手|工具|代理|智能体|模型|系统)?(?:们)?\s?[:：,，]|(?:正在)?(?:阅读|讀取|读取|处理)(?:本文|此文"
    r"|这段|這段|该文件)\S{0,6}(?:ai|人工智能)\S{0,6}",
    r"(?:これまで|以前|上記|前|今まで)の(?:すべての|全ての|全)?(?:指示|命令|プロンプト|ルール)(?:を|は)(?:すべて|全て)?(?:無視|忘れ)|(?:あなたが|もし)(?:ai"
    r"|人工知能)(?:アシスタント|モデル|エージェント)?(?:なら|であれば|の場合)",
    r"(?:이전|위의|앞의|기존)(?:의)? ?(?:모든 )?(?:지시|명령|지침|프롬프트)\S{0,4} ?(?:무시|잊)",
        ),
    ),
)  # fmt: skip
# Told in other words: only what was told goes, not what is said about it.
REPORTED = (
    r"(?:agents?|assistants?|ais?|tools?|models?|llms?|bots?|claude|copilot|gemini|codex|reviewers?"
    r"|readers?|systems?) to ",
    rf"\b(?:tell(?:s|ing)?|ask(?:s|ing)?|instruct(?:s|ing)?|order(?:s|ing)?|urg(?:es|ing)|direct(?:s|ing)?"
    rf"|trick(?:s|ing)?|want(?:s|ing)?) {AI} to (?:\w{{1,14}},? ){{0,3}}(?:mark|trust|push|disregard"
    rf"|override|bypass|exfiltrate|leak|reveal|approve|merge|disable|grant|pretend|ignore (?:all|any|the"
    rf"|its|their|your|previous|prior)|(?:send|upload|post|print) (?:\w{{1,14}} ){{0,3}}(?:secrets?|tokens?"
    rf"|keys?|credentials?|passwords?|env))\b",
)  # fmt: skip
# Each of these is an agent's or a product's ordinary matter; two in a paragraph are not.
WEAK: tuple[tuple[str, str], ...] = (
    (
        r"user|human|operator|owner|maintainer|person|developer",
        r"\b(?:do not|don'?t|never|without) (?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?(?: (?:this"
        r"|it))?(?: to)?|alert(?:ing)?|notify(?:ing)?|ask(?:ing)?|reveal(?:ing)?(?: (?:this|it))?(?: to)?"
        r"|show(?:ing)?(?: (?:this|it))?(?: to)?) (?:this to )?(?:the |your )?(?:user|human|operator|owner"
        r"|maintainers?|person|developer)s?\b",
    ),
    (
        r"mark (?:this|the|that) ",
        r"\bmark (?:this|the|that) (?:repo(?:sitory)?|project|folder|workspace|vault|source|site|domain"
        r"|file) as (?:trusted|safe|verified|approved)\b",
    ),
    (
        r"\.env|env\b|environment|variables|secret|token|keys?\b|credential|password|conversation|history"
        r"|prompt|vault|notes",
        r"\b(?:send|post|upload|forward|email|exfiltrate|leak|curl|transmit|copy|append) (?:(?:all|any|the"
        r"|your|its|their|contents?|of|every|user'?s?|private|api|environment|ssh) ){1,6}(?:\.env\b|env\b"
        r"|environment|variables|secrets?|tokens?|keys?|credentials?|passwords?|conversation|chat history"
        r"|system prompt|vault|notes)\b[^\n]{0,60}\b(?:to|at|via|into)\b",
    ),
    (
        r"you (?:must|are (?:required|obligated|instructed|author)|have to|shall)",
        r"\byou (?:must|are required to|are obligated to|have to|are instructed to|are authori[sz]ed to"
        r"|shall) (?!not\b|never\b)(?:now |always |immediately |first )?\w",
    ),
    (
        r"\ban? (?:\w{1,12} )?(?:ai|llm|language model|coding agent)\b",
        r"\b(?:as|you are) an? (?:\w{1,12} )?(?:ai|llm|language model|ai assistant|ai agent|coding agent)\b",
    ),
    (
        r"this (?:is|message|instruction) |(?:authori[sz]ed|approved) by",
        r"\b(?:this (?:is|message is|instruction is) (?:a|an|from|the) (?:\w{1,12} )?(?:system|developer"
        r"|admin(?:istrator)?|security team|anthropic|openai|platform)|(?:pre-?)?(?:authori[sz]ed"
        r"|approved) by (?:the )?(?:admin(?:istrator)?|owner|developer|security team|system|user already))\b",
    ),
    (
        r"priority|supersede|precedence",
        r"\b(?:highest|top|maximum|absolute) priority\b|\bsupersedes? (?:all|any|every|your)\b"
        r"|\btakes? (?:precedence|priority) over (?:all|any|your|every)\b",
    ),
    (
        r"to (?:main|master|production|prod)\b",
        r"\b(?:push|force-push|merge|commit) (?:\w{1,14} ){0,3}(?:directly |straight )to (?:main|master"
        r"|production|prod)\b",
    ),
    (
        r"\|\s?(?:ba|z)?sh\b",
        r"\b(?:curl|wget) [^\n]{0,120}\|\s?(?:ba|z)?sh\b",
    ),
    (
        r"ignore|disregard|override|bypass|forget",
        r"\b(?:ignore|disregard|override|bypass|forget) (?:the |any |all |these )?(?:rules|safety|warnings"
        r"|policy|checks|restrictions|instructions|guidelines)\b",
    ),
    (
        r"memor|context|instructions|claude\.md|agents\.md",
        r"\b(?:add|write|put|insert|remember|store|save) (?:this|the following|it"
        r"|that)? ?(?:\w{1,12} ){0,4}(?:to|in|into) (?:your|the agent'?s?|the assistant'?s?) (?:memory"
        r"|memories|long-term memory|context|instructions|claude\.md|agents\.md)\b",
    ),
)  # fmt: skip
