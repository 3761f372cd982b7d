"""Tables of words: what means the same, what means the opposite, and which things stand in one another's place.

Small on purpose. A word that is in none of them is judged by where it stands (guards.py).
"""

from __future__ import annotations

# Each line: words of one meaning. What a skill does stays apart: create from update, check from fix.
SAME = """
create make build generate produce construct compose author craft scaffold
update modify edit change revise amend alter adjust
delete remove erase purge discard drop
check verify validate confirm inspect examine
review audit assess evaluate appraise
fix repair mend resolve correct remedy rectify
find search locate seek discover lookup
run execute invoke perform
start begin launch initiate commence
finish complete conclude finalize finalise
show display present view
get fetch retrieve obtain acquire
send deliver transmit dispatch
use apply employ utilize utilise leverage
improve enhance refine polish
analyze analyse study investigate explore
debug troubleshoot diagnose
migrate move port transfer relocate
convert transform
summarize summarise summary condense recap digest
manage handle administer
monitor watch observe track
notify alert inform
compare contrast
collect gather accumulate
choose select pick
ensure guarantee assure
keep retain preserve maintain
split divide separate
merge combine join unite consolidate
help assist aid support
explain clarify describe
ask request query
store save persist
write draft
read peruse
configure config configuration
organize organise arrange structure
prepare ready
list enumerate
record log note
rename relabel
guide tutorial manual handbook walkthrough
error failure fault bug defect
repository repo
directory folder
document doc docs documentation
message msg
application app
database db
environment env
parameter param
image picture
quick fast rapid swift
big large
small little
new fresh
each every
required needed necessary mandatory
important crucial essential vital
result outcome
goal aim objective purpose
task job
step stage
"""

# Each line: names of one thing.
ALIASES = """
javascript js jsx
typescript ts tsx
python py
ruby rb
csharp cs
powershell pwsh
kubernetes k8s
postgresql postgres
elasticsearch elastic
terraform tf
golang go
production prod
markdown md
"""

# Two words of which one undoes, answers or excludes the other.
OPPOSITE = """
create update, create delete, update delete, add remove, add delete, insert delete, import export, enable disable,
install uninstall, start stop, open close, encrypt decrypt, encode decode, upload download, push pull, read write,
grant revoke, lock unlock, merge split, backup restore, attach detach, connect disconnect, increase decrease, upgrade
downgrade, upgrade rollback, migrate rollback, deploy rollback, deploy undeploy, publish unpublish, send receive, show
hide, allow deny, allow block, accept reject, approve reject, before after, always never, serialize deserialize,
compress extract, compress decompress, zip unzip, pack unpack, mount unmount, login logout, subscribe unsubscribe,
include exclude, inbound outbound, incoming outgoing, public private, internal external, minimum maximum, min max,
server client, frontend backend, buy sell, debit credit, local remote, up down, pause resume, register unregister,
load unload, expand collapse, freeze unfreeze, archive unarchive, keep drop, keep delete, write review, with without,
lint format, test deploy, build deploy, install upgrade, sign verify, ingress egress, master slave, parent child,
primary secondary, primary replica, admin user, request response, hire fire, onboard offboard, onboarding offboarding,
check fix, plan execute, true false, yes no, on off, first last, above below, enter leave, begin end, more less, most
least, high low, single multiple, manual automatic, required optional, online offline, sync async, ascend descend, asc
desc, left right, top bottom, horizontal vertical, positive negative, success failure, pass fail, valid invalid,
commit revert, apply revert, create destroy, provision destroy, scale shrink, promote demote, assign unassign, link
unlink, follow unfollow, wrap unwrap, shift unshift, minify beautify, mute unmute, pin unpin, hold release
"""

# Each line: things of which a procedure is for one or the other.
CLASSES = """
language: python javascript typescript java kotlin scala clojure groovy swift golang rust ruby php perl cpp
language: csharp dotnet elixir erlang haskell ocaml lua julia dart zig solidity fortran cobol
cluster: kubernetes nomad mesos swarm openshift
cloud: aws azure gcp cloudflare digitalocean heroku vercel netlify hetzner alibaba linode supabase firebase
service: s3 ec2 lambda ecs eks aks gke fargate
system: linux macos windows android ios ubuntu debian fedora alpine centos freebsd ipados watchos
packages: npm pnpm yarn bun pip pipenv poetry conda uv cargo maven gradle brew homebrew apt dnf yum pacman choco
packages: winget composer bundler nuget sbt
forge: github gitlab bitbucket gitea forgejo codeberg
ci: jenkins circleci travis buildkite teamcity
database: postgresql mysql mariadb sqlite mongodb redis dynamodb cassandra mssql snowflake bigquery redshift
database: clickhouse duckdb elasticsearch opensearch neo4j couchdb memcached cockroachdb
search: pinecone weaviate qdrant milvus chroma pgvector algolia
frontend: react vue angular svelte nextjs nuxt remix astro gatsby ember
backend: django flask fastapi rails laravel springboot express nestjs gin symfony
mobile: flutter swiftui jetpack xamarin ionic
file: pdf docx xlsx pptx csv xml epub excel powerpoint
data: json yaml toml protobuf avro parquet
tests: jest vitest mocha pytest unittest junit testng rspec cypress playwright selenium puppeteer
stage: staging production preprod sandbox qa
chat: slack discord telegram whatsapp mattermost zulip msteams
tracker: jira asana trello clickup notion linear shortcut youtrack
model: openai anthropic claude gemini codex copilot gpt llama mistral deepseek grok cursor kiro windsurf cline
model: aider opencode
container: docker podman containerd buildah
infra: terraform pulumi cloudformation ansible chef puppet bicep opentofu
shell: bash zsh fish powershell
editor: vim neovim emacs vscode intellij
browser: chrome firefox safari chromium
payment: stripe paypal adyen braintree klarna
mail: gmail outlook sendgrid mailgun postmark mailchimp
queue: kafka rabbitmq sqs nats pulsar celery
watch: datadog grafana prometheus newrelic sentry splunk
builder: webpack vite rollup esbuild parcel turbopack
lint: eslint prettier biome ruff black flake8 pylint
orm: prisma sqlalchemy drizzle typeorm sequelize hibernate
game: unity unreal godot
crm: salesforce hubspot pipedrive zoho
"""

# Words that cancel what they stand with, in the languages that skills are most written in.
NEGATIONS = """
not never no none nor neither nothing nobody nowhere without cannot avoid avoids avoiding except unless forbid forbids
forbidden prohibit prohibits prohibited refuse refuses skip skips skipping omit omits dont doesnt didnt wont cant
shouldnt nicht kein keine keinen nie niemals ohne ne pas jamais sans nunca sin ningún não sem nem non mai senza niet
geen nooit не нет никогда без нельзя
"""
NEGATIONS_WITHOUT_SPACES = "不 没 勿 别 禁止 未 无 避免 ない ません ず 안 않 못 마세요"

STOP = {
    "en": "the and of to in is are for with on when this that it as be or by from you your an at if use can not do",
    "de": "der die das und ist nicht mit für ein eine auf zu den von wenn dem werden auch sich bei oder im",
    "fr": "le la les des et est pour une dans que sur avec pas vous par qui du ou sont ce au plus",
    "es": "el la los las de y es para una en que con por no del se cuando como más su al este o son",
    "pt": "o a os as de e é para uma em que com por não do da se quando como mais seu ao no na ou são",
    "it": "il lo la gli le di e è per una in che con non del della si quando come più al o sono nel",
    "nl": "de het een en van is voor met niet op te dat die als in zijn bij ook aan wordt of",
    "pl": "i w na z do jest nie się to że dla oraz przez po lub od jak gdy tego przy",
    "tr": "ve bir için ile bu olarak daha gibi kadar veya değil olan çok sonra her ancak ise",
    "id": "yang dan di untuk dengan ini dari pada adalah tidak atau dalam ke akan juga saat",
    "vi": "và của là cho các không được trong khi với này một để có những người vào",
}

# Plain English in procedures. A word that is here is never taken for the name of a tool because it is rare in a vault.
ORDINARY = """
able about above access according account across act action active actual add address advance after again against
agent agree ahead all allow almost alone along already also always among amount and another answer any anyone anything
apart appear append appropriate area argument around array arrive article as ask aside assign assume at attach attempt
attention author available average away back background bad base basic batch be because become before behind belong
below beside best better between beyond big bit blank block board body book both bottom boundary box branch break
brief bring broad broken browse buffer bundle business but button buy by call cancel capture card care carefully carry
case catch category cause cautious center certain chain chance channel chapter character charge cheap class clause
clean clear click client close code color column come command comment commit common company complex component concern
concise condition connect consider consistent console constant contain content context continue contract control
convention copy core corner cost could count country couple course cover current customer cut cycle daily damage
danger dashboard data date day deal decide decision declare deep default define definition delay depend deploy depth
design desired detail detect determine develop device differ different difficult direct disable discuss distinct
distribute do domain done door double down draw drive due during early easy edge effect effort either element else
empty enable end engine enough enter entire entity entry equal escape even event eventually evidence exact example
exceed except exchange existing exit expand expect expensive expert export expose express extend extra extract face
fact fail fall false familiar far feature feed feedback feel few field figure file fill filter final first fit flag
flat flow focus follow font for force form format former forward frame free frequent from front full function further
future gap general give global go good grade graph great green group grow guard half hand hard have head health heavy
hence here hide hierarchy high hint hit hold home hook host hour how however human idea identify if ignore image
immediately impact implement import improve in include incorrect increase index indicate individual initial inline
input insert inside install instance instead instruct integer intend interface internal interval into introduce issue
item iterate its itself just key kind know knowledge label lack land language last late latest latter layer layout
lead learn least leave left length less let letter level library life light like likely limit line link little live
load local lock logic long look loop lose loss lost lot low machine main major manner many map mark market mask match
material matter maximum may mean measure media medium meet member memory mention menu merge metadata method metric
middle might mind minimum minor minute miss mistake mode model module moment month more most mouse much multiple must
name narrow native natural near need nested network next nice node none normal notice now number object obvious occur
off offer office often old once one only onto open operate opinion option or order original other otherwise out output
over overall overview own owner pack page pair panel paper paragraph parent part particular partner party pass past
paste patch path pattern pause pay people per percent period permission person phase phrase piece pipeline place plain
plan platform play please plus point policy poor pop position possible post potential power practice precise prefer
prefix present press prevent previous price primary print prior private problem procedure proceed process product
profile program progress project prompt proof proper property propose protect prove provide public pull push put
quality quarter question queue quiet quite quote raise random range rank rare rate rather ratio raw reach react real
reason receive recent recommend recover red reduce refer reference reflect region regular reject relate release
relevant reliable remain remember remind remote repeat replace report represent research reset resource respond
response rest restart restore restrict return reuse reveal revert rewrite rich right risk role root rough round route
row rule safe same sample scale scan scenario schedule schema scope score screen script second section secure see seem
segment sense sentence sequence series serious serve server service session set several severe shape share sheet shell
shift ship short should side sign signal silent similar simple since single site size skill skip slice slow smart so
soft software solid solution solve some someone something sort sound source space special specific speed stack staff
standard state static status stay still stop story straight strategy stream street strength strict string strong style
subject submit subset succeed success such sudden suffix suggest suit sum supply sure surface surround suspect switch
symbol system table tag take talk target team technical technique tell template temporary tend term terminal test text
than thank that then theme theory there therefore these they thing think third this those though thread three
threshold through throw thus ticket tidy tie time timeline tiny title to today together token too tool top topic total
touch toward trace trade traffic train transaction tree trend trigger trim trouble true trust try turn two type
typical under understand unique unit unless until up upload upon usage user usual valid value variable variant various
version very via video virtual visible visit vision visual voice wait want warn waste way weak week weight welcome
well what when where whether which while white who whole why wide will window wise wish with within without word work
world worry worth would wrap wrong year yes yet zero
"""
