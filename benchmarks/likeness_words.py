"""Words that planted copies are made with; the program's own tables (passes/likeness/tables.py) are others."""

from __future__ import annotations

# word: what a second author writes for it
SYNONYMS = dict(
    pair.split("=")
    for pair in """
ability=capacity about=regarding above=preceding access=entry accurate=precise achieve=reach add=append
additional=further adjust=tune afterwards=later allow=permit already=previously always=invariably analyze=study
answer=reply appropriate=fitting approach=way ask=request avoid=shun basic=elementary begin=start best=finest
big=large break=split brief=short bring=carry broken=damaged build=construct calculate=compute call=invoke
capture=record careful=cautious change=alteration check=verify choose=pick clean=tidy clear=plain collect=gather
combine=merge common=usual compare=contrast complete=finish complex=intricate concern=worry confirm=affirm
connect=link consider=weigh consistent=uniform contain=hold content=material convert=turn correct=right create=make
current=present customer=client decide=determine deep=thorough define=specify delete=erase describe=explain
detailed=thorough detect=spot develop=devise different=distinct difficult=hard discover=find discuss=talk
display=show easy=simple edit=modify effective=efficient eliminate=remove empty=blank ensure=guarantee entire=whole
error=fault essential=vital establish=found evaluate=assess examine=inspect example=sample execute=run
existing=present expected=anticipated explain=clarify extract=pull fast=quick feature=capability feedback=response
find=locate finish=complete fix=repair focus=concentrate follow=obey gather=collect general=broad generate=produce
get=obtain give=provide goal=aim group=set handle=manage help=assist high=elevated identify=recognize
important=crucial improve=enhance include=contain incorrect=wrong increase=raise information=details initial=first
inspect=examine investigate=explore issue=problem keep=retain key=main large=big learn=study list=enumeration
locate=find long=lengthy look=glance main=principal maintain=uphold make=create manage=handle many=numerous
mark=flag measure=gauge meet=satisfy method=technique missing=absent modify=alter monitor=watch move=shift
multiple=several necessary=required need=requirement new=fresh note=remark observe=notice obtain=acquire
often=frequently organize=arrange output=result overview=outline part=portion pattern=scheme perform=carry-out
pick=choose plan=scheme point=spot possible=feasible potential=possible prepare=ready present=show prevent=stop
previous=earlier primary=chief problem=difficulty process=procedure produce=yield project=undertaking
proper=suitable provide=supply purpose=aim quality=grade question=query quickly=rapidly reason=cause receive=get
recent=latest recommend=advise record=log reduce=lower refer=point relevant=pertinent remember=recall remove=strip
repair=mend repeat=redo replace=substitute report=account request=demand require=demand research=study
resolve=settle result=outcome retrieve=fetch review=audit rule=guideline safe=secure save=store search=seek
section=passage select=choose separate=distinct set=collection several=various share=spread short=brief show=display
simple=easy single=sole small=little solve=crack specific=particular split=divide start=begin state=condition
stay=remain step=stage stop=halt store=save structure=layout study=examine submit=send success=win suggest=propose
suitable=fitting summary=digest support=backing sure=certain system=setup task=job team=crew technique=method
tell=inform think=reckon thorough=complete tool=instrument topic=subject track=follow transform=convert
trouble=difficulty try=attempt typical=usual understand=grasp unexpected=surprising update=refresh use=employ
useful=handy user=person usually=normally valid=sound validate=confirm value=worth various=diverse verify=check
view=look visible=seen warning=caution way=manner whole=entire work=labour write=pen wrong=incorrect
""".split()
)

# One tool in another's place. Half of them no table knows.
TOOLS = """
npm:pnpm yarn:bun pip:poetry docker:podman kubernetes:nomad terraform:pulumi ansible:chef github:gitlab
gitlab:bitbucket slack:discord jira:asana notion:confluence postgres:mysql postgresql:mariadb mysql:sqlite
redis:memcached mongodb:couchdb aws:azure azure:gcp gcp:aws python:ruby typescript:kotlin javascript:elixir
java:scala rust:zig golang:swift react:vue vue:svelte angular:ember django:flask fastapi:tornado express:koa
pytest:nose jest:mocha playwright:cypress selenium:appium stripe:mollie figma:penpot openai:cohere claude:grok
codex:aider gemini:qwen copilot:tabnine git:mercurial eslint:oxlint webpack:rspack vite:parcel kafka:pulsar
rabbitmq:nats grafana:kibana prometheus:zabbix datadog:dynatrace sentry:rollbar obsidian:logseq linear:height
gmail:fastmail excel:lotus wordpress:ghost shopify:magento salesforce:zoho hubspot:pipedrive jenkins:drone
airflow:dagster spark:flink pandas:polars numpy:jax pytorch:mxnet tensorflow:theano langchain:haystack nginx:caddy
apache:lighttpd helm:kustomize argocd:fluxcd vault:infisical graphql:thrift grpc:capnproto swagger:raml curl:httpie
jq:gron ffmpeg:gstreamer imagemagick:graphicsmagick pandoc:typst latex:typst twilio:vonage supabase:appwrite
vercel:render netlify:surge firebase:pocketbase snowflake:vertica bigquery:athena dbt:sqlmesh tableau:metabase
powerpoint:keynote pdf:djvu csv:parquet json:msgpack yaml:toml bash:fish powershell:nushell sql:cypher
slither:mythril semgrep:bandit codeql:infer wireshark:tcpflow burp:zap ghidra:radare zoom:webex seo:ppc mcp:acp
api:cli llm:slm
""".split()

PLATFORMS = """
linux:windows macos:linux windows:macos ios:android android:ios ubuntu:fedora debian:alpine aws:gcp azure:aws
gcp:azure python:perl javascript:php typescript:dart java:csharp rust:haskell golang:erlang ruby:lua kotlin:groovy
swift:kotlin github:gitea gitlab:github react:angular vue:ember django:rails docker:containerd chrome:firefox
staging:production postgres:oracle mysql:postgres mongodb:dynamodb kubernetes:mesos bash:zsh npm:nuget
""".split()

VERBS = """
create:delete add:remove import:export enable:disable install:uninstall start:stop upload:download encrypt:decrypt
upgrade:downgrade publish:unpublish connect:disconnect increase:decrease open:close backup:restore push:pull
subscribe:unsubscribe lock:unlock grant:revoke merge:split attach:detach show:hide deploy:rollback build:destroy
update:create read:write approve:reject send:receive encode:decode
""".split()
