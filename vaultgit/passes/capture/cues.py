"""What the wording of a sentence says about it. English in the main; other languages have the shortest words only.

Every pattern is of bounded length and is tried on one sentence, so that odd text costs no more than its length.
"""

from __future__ import annotations

import re

_I = re.IGNORECASE
# What a person's clause is worth for its wording, where a word is worth about one (clauses.py). What is open, planned
# or to be remembered is said once, and restated nowhere: most. A question is worth its answer.
CUED, LATER, ASKING = 0.5, 1.5, 1.5

# Said before the matter itself, or instead of it.
_ACK_WORDS = (
    r"ok(?:ay|ey|i)?|k+|yes+|yep|yeah+|yup|ya|ye|sure|right|alright|all right|good|great|perfect|nice|cool|fine|super"
    r"|lovely|excellent|awesome|brilliant|wonderful|amazing|neat|sweet|wow|lol|rofl|ha+|(?:ha){2,}|heh+|hm+"
    r"|mm+|uh+|um+"
    r"|ah+|oh+|aha|thanks?(?: you)?(?: (?:a lot|so much|very much))?|thx|ty|cheers|please|pls|got it|understood"
    r"|makes? sense|sounds? (?:good|great|fine|right)|exactly|true|indeed|absolutely|definitely|of course"
    r"|fair(?: enough)?"
    r"|good (?:catch|point|idea|thinking|call|morning|evening|afternoon|night|stuff|job)|nice one|well done|very good"
    r"|(?:i )?love (?:it|that)|(?:i )?like (?:it|that)|that'?s (?:good|great|better|nice|fine|perfect)"
    r"|much better|better"
    r"|(?:oh |yes )?(?:this|that) is (?:good|great|better|nice|fine|perfect)|you'?re right|i see|no worries"
    r"|no problem"
    r"|morning|hi+|hello|hey+|back|bye|see you|brb|so|well|also|and|then|now|anyway|btw|by the way|first"
    r"|next(?: thing)?"
    r"|where were we|ja|genau|gut|super|danke(?: schön| dir)?|bitte|hallo|guten (?:morgen|tag|abend)|klar"
    r"|passt|stimmt|prima|alles klar|in ordnung|einverstanden|oui|merci|bonjour|salut|d'accord|bien|vale|s[ií]"
    r"|(?:please |pls |just |let'?s )?do (?:it|that|so)(?=[,.!;]|$)|gracias|hola|claro|bueno|grazie|ciao|bene"
    r"|obrigad[oa]|olá|tak|hej|dank je|dankjewel|goed|prima"
    r"|好的?|谢谢|是的|嗯|はい|ありがとう(?:ございます)?|네|감사합니다"
)
_LEAD = re.compile(rf"^(?:{_ACK_WORDS})(?![\w'-])(?:\s*[,.!:;…)–—-]+\s*|\s+|$|(?=[,。，！])[,。，！]?)", _I)
_THEN = re.compile(r"^(?:so|then|and|also|well|now|first|back|right|good|better|next|fine|like) ", _I)  # words as well
ACCEPT = re.compile(
    r"^(?:(?:ok(?:ay)?|yes|yep|yeah|sure|ja|oui|s[ií]|vale)\b"
    r"|(?:right|fine|good|great|perfect|cool)(?=[,.!;:]|$| then\b)"
    r"|agreed|deal|exactly"
    r"|makes sense|sounds good|love it|that'?s (?:good|better|it)|go (?:for|ahead|with)|do (?:it|that|so|this)\b"
    r"|please do|let'?s do (?:it|that|this)|works for me|you'?re right|good (?:idea|catch|point|thinking|call)"
    r"|(?:both|the (?:first|second|third|last|former|latter)(?: one)?|option \w|\(?[a-d1-4]\)?)(?:[.,! ]|$)"
    r"|einverstanden|genau|d'accord|de acuerdo|好的?|可以|はい|네)", _I)  # fmt: skip
_PICK = re.compile(
    r"^(?:(?:i|we)(?:'d|'ll| would| will)? (?:think|say|guess|prefer|take|like|choose|want|go (?:for|with))"
    r"|(?:let'?s )?(?:do|take|try|use|go (?:for|with))|lieber|dann|nehmen wir|ich nehme|on prend)?\s*"
    r"(?:option|variante?|version|number|nummer)?\s*(?:the|die|das|der|den|dem|la|le|el)?\s*"
    r"(?:(first|erste|premi[eè]re?|primer[oa])|(second|zweite|deuxi[eè]me|segund[oa])"
    r"|(third|dritte|troisi[eè]me|tercer[oa])|(last|latter|letzte|derni[eè]re?|[uú]ltim[oa])|\(?([a-e1-5])\)?)[nrms]?"
    r"(?: (?:one|option|way|variant|choice))?"
    r"(?=[,.;!:](?:\s|$)|$| (?:then|but|please|it is|because|since|and|sounds|is|dann|bitte|weil)\b)", _I)  # fmt: skip
REJECT = re.compile(
    r"^(?:h+m+[,. ]+|ok(?:ay)? |well[, ]+|uh[, ]+|ugh[, ]+|ah[, ]+|oh[, ]+)?(?:no\b(?! problem| worries)|nah"
    r"|nope|not\b"
    r"|don'?t|never\b|rather\b|instead|actually|wait|scrap|forget|skip|drop|too (?:much|long|big|expensive"
    r"|late|early|slow)"
    r"|(?:i'?d|i would|we) (?:rather|prefer)|nein|non\b|lieber)"
    r"|\b(?:too (?:much|long|big|many|expensive|risky|complicated|soap|slow|late|greedy|small|chatty)|is overkill"
    r"|feels? (?:greedy|wrong|off|too)|don'?t (?:like|want|love)|not (?:convinced|a fan|happy))\b", _I)  # fmt: skip

# What takes back something said before; "that" then is the last thing said.
CORRECTS = re.compile(
    r"\b(?:actually|scrap|forget (?:that|it|about|the|what)|changed my mind|change of plans?"
    r"|on second thoughts?|wait|correction"
    r"|i was wrong|i misspoke|my mistake|instead|take (?:that|it) back|strike that|undo|revert|rather not|never ?mind"
    r"|no longer|not anymore|doch nicht|stattdessen|en fait|finalement|mejor no|en realidad)\b"
    r"|\bshould(?: really)? be\b"
    r"|\bi said .{1,60}\bi meant\b|不对|改成|还是", _I)  # fmt: skip
TAKES_BACK = re.compile(
    r"\b(?:scrap (?:that|it|this)|forget (?:that|it|this)|strike that|changed? (?:my|our) minds?|wait,? no|no,? wait"
    r"|actually,? no|no,? actually|on second thoughts?|take (?:that|it) back|never ?mind|change of plans?"
    r"|undo that)\b", _I)  # fmt: skip
SCRAPS = re.compile(
    r"\b(?:scrap|forget(?: about)?|drop|kill|undo|revert|no longer|no more|cancel|ditch|skip|(?:is|are|was) out)\b", _I
)

OPEN = re.compile(
    r"\b(?:open (?:question|point|issue|item)s?|not (?:quite |really |yet )?(?:sure|decided|confirmed|clear)"
    r"|unsure|undecided"
    r"|don'?t know (?:yet|if|whether|how|what|which|who)|no idea (?:if|whether|how)|(?:need|have|want|got"
    r"|gotta|ought) (?:to )?"
    r"(?:still )?(?:ask|check|find out|think|confirm|verify|clarify|talk|speak|call|decide|figure|look into|sleep on"
    r"|write|ring|phone|bring|raise|mention|contact|order|book)"
    r"|(?:must|should|still|will|i'?ll|we'?ll|can|let me) (?:still |have to |need to |first |also )?(?:ask"
    r"|find out|confirm|verify|ring|phone|bring (?:it|that|this)|ping"
    r"|clarify|talk to|speak (?:to|with)|call|email|write to|tell|sleep on)|waiting (?:for|on)|waits? (?:for|until)"
    r"|wait (?:for|until|till)|depends on|to be (?:decided|confirmed|discussed|clarified)|tb[acd]|todo|to-do"
    r"|to do list"
    r"|remains? (?:to|open)|still (?:open|missing|needs?|have to|need to|to do|unclear)"
    r"|needs? (?:more )?(?:thought|thinking)"
    r"|on my list|follow(?:-| )?up|leave (?:it|that|this|both) open|keep (?:it|both|that) open|no answer yet|pending"
    r"|question for (?:later|next time|\w+)|whether|until (?:then|i|we|he|she|they|\w+ (?:says|confirms|is back))"
    r"|muss (?:ich )?noch|noch (?:klären|offen|fragen|nicht|mal)|(?:muss|werde"
    r"|soll(?:te)?n?) (?:\w+ ){0,4}(?:fragen|klären|anrufen|nachfragen|warten)|ich (?:frage|rufe|kläre)"
    r"|offen(?:e frage)?|weiß (?:noch )?nicht|à vérifier|il faut (?:que|demander)|pendiente|falta)\b"
    r"|^(?:ask|tell|call|email|ping|text|check with) (?:[A-Z]\w+|the (?!user|script|program))"
    r"|\b(?:and|then|please) (?:ask|call|email|ping) [A-Z]\w+", _I)  # fmt: skip
REMIND = re.compile(
    r"\b(?:remind (?:me|us)|(?:don'?t|do not) (?:let me )?forget|remember (?:to|that)|note to self"
    r"|keep in mind|reminder"
    r"|erinner(?:e|st)? mich|nicht vergessen|rappelle[- ]moi|n'oublie pas|recuérdame|no olvides|提醒我|别忘了)\b|提醒我"
    r"|别忘", _I)  # fmt: skip
IDEA = re.compile(
    r"\b(?:(?:one|an|another|my|crazy|random) idea|far-off day|imagine|dream of"
    r"|ideas?(?=[:,])|ideas? for|(?:for|some(?:time)?|maybe) later"
    r"|later (?:on )?(?:we|i|maybe)"
    r"|one day|some ?day|some time|in (?:the )?future|for the future|not now|next (?:season|quarter|version"
    r"|release|iteration|book)"
    r"|what if|would be (?:nice|cool|great|fun|neat)|could (?:also )?be (?:nice|fun|interesting)|we could|(?:i"
    r"|we) might"
    r"|nice to have|at some point|down the (?:road|line)|after (?:launch|release|v1|1\.0)|v2|parked?"
    r"|thinking (?:of|about)"
    r"|eventually|wish ?list|backlog|stretch goal|irgendwann|später|idee|plus tard|un jour|más adelante"
    r"|algún día)\b|以后", _I)  # fmt: skip
# Said in so many words: no measure of what belongs to the dialogue may outweigh it.
EXPLICIT = re.compile(
    r"\b(?:remind me|(?:an|one|another|my) idea|ideas?(?=[:,])|ideas? for|open (?:question|point|issue)|from now on"
    r"|decided|never|always"
    r"|erinner(?:e|st)? mich|nie(?:mals)?|immer|entschieden|idee|offene frage|rappelle[- ]moi|recuérdame)\b"
    r"|\b(?:ask|tell|call|email|fragen?) (?-i:[A-ZÄÖÜ])\w+|提醒我|总是", _I)  # fmt: skip
DECIDES = re.compile(
    r"\b(?:let'?s|let us|we'?ll(?! see)|we will(?! see)|back to (?:the|our)"
    r"|i'?ll (?:go|take|use|keep)|we(?:'re| are) going with"
    r"|go(?:ing)? (?:with|for)|decided?"
    r"|decision|final(?:ly|ised|ized)?|settled|agreed|instead|rather than|no more|no (?!idea|problem|worries"
    r"|one|doubt)\w+"
    r"|never|always|only|must(?: not)?|has to|have to (?:be|stay)|needs to|should(?: not|n'?t)?|don'?t|do not"
    r"|use|keep|stick (?:to|with)"
    r"|stay (?:with|in)|leave|make (?:it|that|sure|them)|switch|move (?:it|to|the)|migrate|replace|rename|pin"
    r"|bump|drop|scrap"
    r"|skip|prefer|i(?:'d| would) (?:rather|prefer|like|say|go)|i want|we want|choose|chose|(?:i"
    r"|we)(?:'ll)? pick(?:ed)?|take the|is (?:out|in|fine|ok|enough)"
    r"|bleib(?:t|en)(?: wir)? bei|machen wir|dann (?:also|eben|lieber)|auf keinen fall|nur|höchstens"
    r"|mindestens|soll(?:en)?|ruled? out|limit|max(?:imum)?|at (?:most|least)|not (?:more|before|after"
    r"|later) than|from now on|by default|everywhere"
    r"|exclude|include|ban(?:ned)?|forget the|without|both|then$|it is[.!]?$|wir nehmen|nehmen wir|wir machen"
    r"|lass uns|immer|nie"
    r"|statt|kein(?:e|en)?|on prend|toujours|jamais|sans|vamos con|siempre|nunca|sin)\b"
    r"|我们用|不要|总是|改用", _I)  # fmt: skip
WANTS = re.compile(
    r"\b(?:i|we) (?:would like|want|need|am trying|are trying|'?d like|have to|plan|am planning)\b|\bhelp me\b"
    r"|\bi'?m (?:trying|stuck|planning|working)"
    r"|\blet'?s (?:plan|design|write|build|figure)|\bich (?:möchte|will|brauche)|\bje (?:veux|voudrais)"
    r"|\b(?:quiero|necesito)\b|我想", _I)  # fmt: skip

# The assistant's.
RESTATES = re.compile(
    r"^(?:ok(?:ay)?[,:.] |yes[,:.] |right[,:.] |good[,:.] |fine[,:.] |great[,:.] )?(?:noted|recorded|done"
    r"|understood|agreed|decided|kept"
    r"|left|changed|set|switched|pinned|added|moved|removed|dropped|deleted|updated|renamed|replaced|fixed"
    r"|corrected|implemented"
    r"|excluded|masked|parked|confirmed|saved|scheduled|booked|reminder|open (?:point|question|item|idea)s?"
    r"|open:|two open|remaining"
    r"|still open|idea (?:noted|recorded|kept|parked)|summary|in short|conclusion|result|so[:,]|then\b|now\b"
    r"|will do|got it|to confirm|recap|decision|notiert|erledigt|verstanden|geändert|eingetragen|gespeichert"
    r"|offen(?:er punkt)?:|vermerkt|gestrichen|noté|fait|compris|anotado|hecho|entendido)", _I)  # fmt: skip
FINDS = re.compile(
    r"\b(?:measured|benchmarked|found|finding|root cause|caused?|because|reason is|due to|turns? out"
    r"|comes? from|the (?:problem|issue|bug|culprit)"
    r"|dead end|fails?|failed|wrong|took|costs?|faster|slower|means|requires?|needs|supports?|does(?:n'?t"
    r"| not)|can(?:'?t|not)|only"
    r"|so that|which is why|without|is out|error|careful|note that|works?|limit|deadline|tested|tried"
    r"|available|deprecated"
    r"|depends|available|already|taken|expires?|missing)\b|\d", _I)  # fmt: skip
LEARNS = re.compile(
    r"\b(?:because|due to|caused?|root cause|culprit|reason is|turn(?:s|ed) out|measured|benchmarked|dead end"
    r"|comes? from"
    r"|fail(?:s|ed)|wrong|careful|deadline|artefact|artifact|regression|not significant|means that"
    r"|which is why)\b",
    _I,
)
PROPOSES = re.compile(
    r"\b(?:i(?:'d| would) |i(?:'ll| will)? (?:propose|suggest|recommend)|propose|suggest|recommend|options?\b"
    r"|alternative|alternatively|either"
    r"|two ways|you could|we could|could (?:also )?(?:be|use|do|take|try)|how about|what about|better is"
    r"|better to|best is|let'?s|shall"
    r"|do you want|would you like|want me to|should (?:i|we)|consider|the title could|or\b.{1,80}\?$)", _I)  # fmt: skip
PROGRESS = re.compile(
    r"^ich (?:schaue|prüfe|suche|lese|rechne|sehe|öffne|mache das)\b"
    r"|^(?:(?:ok(?:ay)?|sure|yes|alright|right|great|good)[,.!:]* *)?(?:i'?ll|i will|let me|i'?m|i am|going to"
    r"|now i|first,? i|next,? i|one moment|just a|on it)"
    r" ?(?:\w+ ){0,3}(?:look|check|read|start|see|search|run|take|pull|verify|find|open|go|have|write|fix|test"
    r"|try|draft|work|do that)\w*\b"
    r"|^(?:now )?(?:also )?\w+ing\b(?:(?! (?:is|are|was|were|would|will|can|has|needs?|means|takes|costs"
    r"|and)\b)[^.:]){0,70}[.…]*$", _I)  # fmt: skip
WISHES = re.compile(
    r"^(?:bis (?:gleich|später|dann|morgen)|guten appetit|viel (?:spaß|glück)|gute (?:nacht|besserung)"
    r"|bon appétit|à (?:plus|demain)|ha+\b|heh|lol|oh no|oh,? |aw+|ouch|enjoy|have (?:fun|a )|good luck"
    r"|fingers crossed|congrat|happy |hope(?:fully)?\b|i hope|sounds? (?:like (?:a|fun|you)|lovely|nice"
    r"|fun|delicious|great|tasty|cozy|relaxing|exciting|frustrating|exhausting)|that'?s (?:rough|tough"
    r"|annoying|funny|hilarious|sweet|cute|awesome|lovely|frustrating|unfortunate|a (?:shame|pity|classic))"
    r"|that (?:sounds|must)|poor |classic|lucky|welcome back|see you|take (?:care|your time|a (?:short "
    r"|quick )?(?:break|nap|rest|walk))|get (?:well|some)|rest |sleep "
    r"|stay (?:warm|dry|safe|hydrated|cool|strong)|hang in|sorry (?:to hear|about)|cheers|no (?:problem"
    r"|worries)|sure[.!]?$|nice[,!. ]|lovely|what a |cute|glad"
    r"|i can'?t (?:watch|taste|eat|see|hear|feel|drink)|i don'?t (?:eat|drink|sleep|watch|have (?:a|taste))"
    r"|as an ai|good (?:weather|night|morning)|yum|delicious|wise|tempting)"
    r"|\b(?:would be fun|is underrated|are underrated|always wins?|the worst|the best part|unforgivable"
    r"|well deserved|never (?:fails|gets old)|who doesn'?t|can relate"
    r"|i hope|hope (?:it|you|that|nobody|the)|good luck|enjoy (?:the|your|it)|have fun|fingers crossed"
    r"|treat yourself|a (?:good|great|fun|lovely|perfect|welcome) (?:excuse|treat|way|reason|time|choice"
    r"|start))\b", _I)  # fmt: skip
SMALL_TALK = re.compile(
    r"\b(?:weather|rain(?:s|ing|y)?|snow(?:s|ing)?|sunny|sunshine|heatwave|storm|umbrella|coffee|tea|espresso"
    r"|lunch|dinner|breakfast|brunch|snacks?|cake|cookies?|pizza|burgers?|noodles"
    r"|ramen|sushi|curry|tacos?|sandwich|salad|soup|beer|wine|cocktails?|pub|bar|restaurant|weekend|vacation"
    r"|holidays?|beach|lake|hik(?:e|ing)|camping|barbecue|bbq|party|birthday|wedding"
    r"|football|soccer|match|goal|league|basketball|tennis|marathon|gym|yoga|workout|jogging|running|bike"
    r"|cycling|movie|film|cinema|netflix|series|episode|season finale|finale|tv|show last night"
    r"|podcast|song|album|band|concert|gig|guitar|ukulele|piano lessons?|playlist|video ?game|gaming|cat"
    r"|kitten|dog|puppy|hamster|parrot|neighbou?rs?|landlord|babysitter|traffic"
    r"|commute|parking|bus|train was|tram|bakery|supermarket|groceries|laundry|dishes|vacuum|sofa|couch"
    r"|haircut|hair|shoes|sweater|jacket|diet|sugar|sleep|slept|sleepy|tired|nap|yawn|headache|flu|sneez\w+"
    r"|allerg(?:y|ies)|dentist|tyres?|mondays|joke|funny|meme|horoscope|lottery|garden|tomatoes|plants?"
    r"|balcony|mum|mom|dad|grandma|grandpa|aunt|uncle|cousin|sister|brother|nephew|niece|kids?"
    r"|toddler|girlfriend|boyfriend|husband|wife|flatmate|roommate|drilling|elevator|kaffee|wetter|regen"
    r"|mittagessen|wochenende|urlaub|fußball|katze|hund|müde|café|météo|week-end|vacances|phone battery"
    r"|keyboard|chair|noise|loud|stain|spilled)\b", _I)  # fmt: skip

_QUESTION = re.compile(
    r"^(?:what|how|why|when|where|which|who|whose|is|are|was|were|does|did|can|could|would|should|shall|will"
    r"|has|have (?:you|we|i)|am i"
    r"|do (?:i|we|you|they|the|these|those|people|any)|any (?:idea|chance|thoughts)|isn'?t|aren'?t"
    r"|don'?t (?:we|you|they)|doesn'?t|won'?t|wie|was|warum|wann|wo|wer|welche\w*"
    r"|pourquoi|comment|quand|est-ce|combien|qué|cómo|cuándo|por qué|dónde)\b(?!,)", _I)  # fmt: skip
_TAIL = re.compile(
    r"(?:[?？]|(?:isn'?t|aren'?t|doesn'?t|don'?t|wasn'?t|didn'?t|right|or not|is|are)"
    r" ?(?:it|there|they|you|we|that)?|吗)[\s\"'”)]*$", _I)  # fmt: skip
_OPERATES = re.compile(
    r"^(?:please |pls |can you |could you |would you |will you |now |then |and |just |go ahead and |also "
    r"|kannst du |bitte )*(?:run|rerun|re-run|check|recheck|show|open|read|look|list|print|test|commit|push"
    r"|pull|build|compile|lint|format|grep|cat|ls|cd|git|npm|pip|make (?:test|build)|explain|tell me|give me"
    r"|continue|carry on|go on|proceed|keep going|summari[sz]e|try (?:again|it|that)|retry|again|restart"
    r"|find|search|see|have a look|take a look|do (?:it|that|the|this|so)|write (?:it|that|this|a|an|the|me)"
    r"|draft|generate|plot|load|deploy|start|stop|execute|walk me|help|wait|undo that|fix (?:it|that|this"
    r"|them)"
    r"|translate|proofread|review|compare|calculate|count|double-check|verify|next|zeig|lies|schau"
    r"|mach weiter)\b", _I)  # fmt: skip
_LASTING = re.compile(
    r"\b(?:never|always|from now on|everywhere|by default|every time|each time|ab jetzt|immer|nie|toujours"
    r"|jamais|siempre|nunca)\b|总是|以后都",
    _I,
)
_MARK = re.compile(r"\[(?:REDACTED [^\]]{1,60}|left out: an instruction to AI tools)\]")


def pick(text: str, offered: int) -> int | None:
    """Which of so many options the sentence takes: "the second one", "b then"; None where it names none so."""
    found = _PICK.match(without_ack(text))
    if not found or not offered:
        return None
    first, second, third, last, mark = found.groups()
    n = 0 if first else 1 if second else 2 if third else offered - 1 if last else "abcde12345".index(mark.lower()) % 5
    return n if n < offered else None


def without_ack(text: str) -> str:
    """The sentence without the words of agreement and greeting that stand before its matter; "" where that is all."""
    rest = text.strip()
    for _ in range(8):
        found = _LEAD.match(rest)
        if not found:
            break
        after = rest[found.end() :].lstrip()
        # "so FTS5 trigram", "good bread needs time": the word belongs to what follows.
        if after and _THEN.match(rest) and not re.search(r"[,.!:;…–—]", found.group()) and not _LEAD.match(after):
            return after if re.match(r"(?:so|then|and|also|well|now) ", rest, _I) else rest
        rest = after
    return rest if re.search(r"\w", rest) else ""


def asks(text: str) -> bool:
    """Whether the sentence is a question, with its mark or without."""
    text = without_ack(text)
    return bool(
        _TAIL.search(text) and (text.rstrip("\"' )”").endswith(("?", "？", "吗")) or "there" in text[-12:])
    ) or bool(_QUESTION.match(text))


def operates(text: str) -> bool:
    """Whether the sentence only sets the agent to work: run, show, explain. What states a wish is none."""
    return _OPERATES.match(text) is not None


def only_marks(text: str) -> bool:
    """Whether nothing is left of the sentence but what was taken out of it."""
    return len(re.findall(r"\w{2,}", _MARK.sub(" ", text))) < 2 and _MARK.search(text) is not None


def states_anyway(text: str) -> bool:
    """Whether a question or command also says what is decided, open or to be remembered."""
    return any(cue.search(text) for cue in (OPEN, REMIND, CORRECTS, _LASTING))


def strong(text: str) -> bool:
    """Whether the wording alone shows that something is settled, open, planned or taken back."""
    return any(cue.search(text) for cue in (OPEN, REMIND, CORRECTS, IDEA, DECIDES))


def later(text: str) -> bool:
    """Whether the wording shows something open, planned or to be remembered."""
    return any(cue.search(text) for cue in (OPEN, REMIND, IDEA))


def weight(sentence: str, clause: str) -> float:
    """What the wording of a clause in a person's sentence is worth."""
    found = CUED * sum(1 for cue in (CORRECTS, DECIDES, WANTS) if cue.search(clause))
    found += LATER if later(clause) else 0
    return found - (ASKING if asks(sentence) else 0)
