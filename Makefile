# What .ci/run checks is written there; the rest is here.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

BENCH    ?= .
COUNT    ?= 1
FUZZTIME ?= 20s
WALKS    ?= 20000
N        ?= 100000
LARGE    ?= 2000
TABLES   ?= Tables|Papers|Refinements|Ratios
MUTANTS  ?= 300
SEEDS    ?= 10
FIRST    ?= 1
EASY     ?= 0
HOW      ?= weighted,auto
MOST     ?= 20000000
SPAN     ?= 10s

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## build bin/macemc
	go build -o bin/ ./cmd/macemc

.PHONY: test
test: ## run all tests
	@.ci/run test

.PHONY: race
race: ## run the tests of the packages that start goroutines under the race detector
	@.ci/run race

# The flag exists only where a test imports internal/transcript.
TRANSCRIPT := macemc/internal/transcript
WITH_TRANSCRIPTS = {{$$p := .ImportPath}}{{range .TestImports}}{{if eq . "$(TRANSCRIPT)"}}{{println $$p}}{{end}}{{end}}{{range .XTestImports}}{{if eq . "$(TRANSCRIPT)"}}{{println $$p}}{{end}}{{end}}

.PHONY: golden
golden: ## rewrite the transcripts; read the diff before you commit it
	@packages="$$(go list -f '$(WITH_TRANSCRIPTS)' ./... | sed '/^$$/d' | sort -u)"; \
	if [ -z "$$packages" ]; then echo "no package tests with transcripts"; exit; fi; \
	go test -count=1 $$packages -rewrite

.PHONY: examples
examples: ## write docs/examples again; read the diff before you commit it
	go test -count=1 -run '^TestExamples$$' ./internal/finding -rewrite

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME (20s)
	@listing="$$(go test -list '^Fuzz' ./...)"; \
	awk '/^Fuzz/ { names[n++] = $$1 } $$1 == "ok" { for (i = 0; i < n; i++) print $$2, names[i]; n = 0 }' <<<"$$listing" | \
	while read -r package name; do \
		echo "-- $$package $$name"; \
		go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) "$$package" </dev/null; \
	done

.PHONY: live
live: ## form systems of 8 processes on loopback, kill each with -9, see that they recover, and simulate what was recorded
	go test -count=1 -v -timeout 20m -run 'TestProcesses$$|TestTransportIsReliable$$' ./live -long
	go test -count=1 -v -timeout 20m -run 'TestLongLiveRunsAreSimulated$$' ./internal/merge -long
	@folder="$$(mktemp -d)"; trap 'rm -rf "$$folder"' EXIT; set -x; cd examples/raft; \
	go run ./check live raft --nodes 8 --time 30s --pace 0.2 --faults kill=3s,loss=0.02 --record "$$folder/run"; \
	go run ./check merge "$$folder/run"

SOAK ?= 10m

.PHONY: soak
soak: ## trouble 8 live nodes of each of five systems for SOAK (10m), and see that nothing leaks and all recovers
	go test -count=1 -v -timeout 0 -run 'TestSoak$$' ./live -soak $(SOAK)
	cd examples/raft && go test -count=1 -v -timeout 0 -run 'TestSoak$$' . -soak $(SOAK)

.PHONY: bench
bench: ## run the benchmarks that match BENCH (all), COUNT times (1)
	@packages="$$(go list -f '{{$$d := .Dir}}{{$$p := .ImportPath}}{{range .TestGoFiles}}{{$$p}} {{$$d}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$$p}} {{$$d}}/{{.}}{{"\n"}}{{end}}' ./... | \
		while read -r package file; do \
			if [ -n "$$package" ] && grep -q '^func Benchmark' "$$file"; then echo "$$package"; fi; \
		done | sort -u)"; \
	if [ -z "$$packages" ]; then echo "no package has benchmarks"; exit; fi; \
	go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) $$packages

.PHONY: browser
browser: ## open the pages of graphs and of mdb in Chromium; SHOTS=folder keeps pictures of them
	go test -count=1 -run '^TestBrowser' ./eventgraph ./mdb/web -v -browser $(if $(SHOTS),-shots $(abspath $(SHOTS)))

.PHONY: mermaid
mermaid: ## parse the diagrams of graphs by Mermaid itself (needs Node, and npm to fetch it)
	@folder="$$(mktemp -d)"; trap 'rm -rf "$$folder"' EXIT; \
	npm install --silent --no-fund --no-audit --prefix "$$folder" mermaid@11 jsdom@26 && \
	go test -count=1 -run '^TestMermaid$$' ./eventgraph -v -mermaid "$$folder"

.PHONY: findings
findings: ## print how each known bug is found, over five seeds, as in BENCHMARKS.md
	go test -count=1 -run '^TestFinds$$' ./command -v -findings -long | grep '^|'

MANNERS = go test -count=1 -timeout 0 -run '^TestManners$$' -v -manners $(SEEDS) -manners-more $(EASY) -manners-first $(FIRST) -manners-of "$(BUGS)" -manners-how "$(HOW)" -manners-steps $(MOST)

.PHONY: walks
walks: ## print how soon walks by each manner of HOW (weighted,auto) find each known bug and raft's (BUGS, with commas) over 10 (SEEDS) seeds from 1 (FIRST), the easy ones over EASY (0) if more, to 20 million (MOST) steps, as in BENCHMARKS.md; goes on where it was stopped
	@mkdir -p bin; $(MANNERS) -manners-journal $(abspath bin/walks.json) ./command | grep --line-buffered '^|'
	@cd examples/raft && $(MANNERS) -manners-journal $(abspath bin/walks-raft.json) . | grep --line-buffered '^|'

FIXED := --param send=3 --net udp-capacity=3 --faults reorder=1
LEARNS := --nodes 2 --param members=learner --param proposals=0

.PHONY: fixes
fixes: fixes-raft fixes-kcp ## find in versions of raft and of KCP what later ones mended, and not in those: docs/examples/fixes.md

.PHONY: fixes-raft
fixes-raft:
	@folder="$$(mktemp -d)"; trap 'rm -rf "$$folder"' EXIT; cd examples/raft; \
	search() { \
		of="$$1"; want="$$2"; shift 2; cp go.sum "$$folder/go.sum"; cp go.mod "$$folder/go.mod"; \
		core="./core/$$of"; [ -d "$$core" ] || { core="$$folder/core-$$of"; go run ./family "$$of" "$$core"; }; \
		go mod edit -droprequire go.etcd.io/raft/v3 -replace "macemc/examples/raft/core=$$core" "$$folder/go.mod"; \
		[ -x "$$folder/$$of" ] || go build -mod=mod -modfile "$$folder/go.mod" -o "$$folder/$$of" ./check; \
		echo "-- core/$$of: check search raft $$*"; status=0; \
		"$$folder/$$of" search raft "$$@" --quiet --no-lines --out "$$folder/found" || status=$$?; \
		if [ "$$status" != "$$want" ]; then echo "the exit status is $$status, want $$want"; exit 1; fi; \
	}; \
	pair() { before="$$1"; after="$$2"; shift 2; search "$$before" 1 "$$@"; search "$$after" 0 "$$@"; }; \
	pair etcd33 etcd34 $(LEARNS) --param elections=ticks --param election=2 --net udp-capacity=2 --faults crash=1 --depth 8 --paths 20000; \
	pair etcd34 etcd35 $(LEARNS) --faults none --depth 12; \
	pair etcd34 etcd35 --param members=joint --param proposals=0 --faults none --depth 8; \
	pair etcd35 raft36 --nodes 1 --param apply=first --param proposals=1 --faults crash=1 --depth 12

.PHONY: fixes-kcp
fixes-kcp:
	@folder="$$(mktemp -d)"; trap 'rm -rf "$$folder"' EXIT; cd examples/kcp; \
	for version in v5.2.8:1 v5.4.17:0; do \
		of="$${version%:*}"; cp go.sum "$$folder/go.sum"; cp go.mod "$$folder/go.mod"; \
		go mod edit -replace "github.com/xtaci/kcp-go/v5=github.com/xtaci/kcp-go@$$of+incompatible" "$$folder/go.mod"; \
		go build -mod=mod -modfile "$$folder/go.mod" -o "$$folder/check" ./check; \
		echo "-- kcp-go $$of: check search kcp $(FIXED)"; status=0; \
		"$$folder/check" search kcp $(FIXED) --quiet --out "$$folder/found" || status=$$?; \
		if [ "$$status" != "$${version#*:}" ]; then echo "the exit status is $$status, want $${version#*:}"; exit 1; fi; \
	done

.PHONY: tables
tables: ## take the papers' tables again, print them, and put them into BENCHMARKS.md; TABLES='Papers|Refinements' takes those alone
	@mkdir -p bin && rm -f bin/tables.md
	@go test -count=1 -timeout 60m -run '^Test($(TABLES))$$' ./command ./internal/search -v -tables 5 -p 1 | grep -E '^(\||<!-- )' | tee bin/tables.md
	@awk 'NR == FNR { if (/^<!-- table /) name = $$3; text[name] = text[name] $$0 "\n"; next } \
		/^<!-- table / && $$3 in text { printf "%s", text[$$3]; skip = 1 } \
		!skip; /^<!-- end of table / { skip = 0 }' bin/tables.md BENCHMARKS.md > bin/BENCHMARKS.md && cp bin/BENCHMARKS.md BENCHMARKS.md

.PHONY: figures
figures: ## draw how soon walks become live, and the throughput of the replicated services in runs of SPAN (10s), into docs/figures, and print it as in BENCHMARKS.md
	@cd examples/figures && go run . -out ../../docs/figures -services $(SPAN)

.PHONY: verify
verify: ## find every known bug as the catalogue states, over five seeds, and nothing without it
	go run ./cmd/macemc bugs verify

.PHONY: oracle
oracle: ## hold critical transitions and printed bounds against the truth, on 2,000 random mazes
	@go test -count=1 -timeout 60m -run '^TestOracle$$' ./internal/critical -v -oracle 2000 | grep -Ev '^(=== |--- PASS|PASS|ok )'

.PHONY: campaign-random
campaign-random: ## hold searches of N (100,000) random systems to internal/oracle; goes on where it was stopped
	@GOGC=400 go test -count=1 -timeout 0 -run '^TestCampaign$$' ./internal/oracle -v -campaign $(N) -journal $(abspath bin/campaign-random.json)

REDUCED ?= 10000

.PHONY: campaign-reduced
campaign-reduced: ## compare the reduced spaces of REDUCED (10,000) random services with the whole ones, and of every system with each of its bugs; goes on where it was stopped
	@mkdir -p bin; GOGC=400 go test -count=1 -timeout 0 -run '^Test(Reduced(Services|Failures|Losses|Liveness)|Sleep)$$' ./internal/search -v -long -reduced $(REDUCED) -reduced-journal $(abspath bin/campaign-)
	go test -count=1 -timeout 0 -run '^TestReducedSystems$$' ./internal/search -v -long

.PHONY: mutants
mutants: ## change the checker in 300 (MUTANTS) small ways, and print what no test notices; goes on where it was stopped
	@go build -C tools/mutants -o ../../bin/ . && bin/mutants -n $(MUTANTS)

GOLDEN := -count=1 -run '^TestGolden$$' ./internal/oracle

.PHONY: golden-counts
golden-counts: ## compare the golden counts with canon's fast room off, and on arm64 if qemu-user is there
	go test $(GOLDEN)
	go test -tags canonslow $(GOLDEN)
	@for qemu in qemu-aarch64 qemu-aarch64-static; do \
		if command -v $$qemu >/dev/null; then set -x; CGO_ENABLED=0 GOARCH=arm64 go test -exec $$qemu $(GOLDEN); exit; fi; \
	done; echo "NOT RUN: arm64 needs qemu-user, and there is none here"

.PHONY: large
large: ## paxos with three proposers, whole and with liveness, and the dumb way: 4 GiB and some minutes each
	go run ./cmd/macemc search paxos --param proposers=3 --depth 200 --reduce none --memory 4GiB --no-walks
	go test -count=1 ./systems/paxos -run ThreeProposers -large

EXHAUST = go run ./cmd/macemc search --quiet --reduce none --memory 4GiB --depth 400 --paths 1 --time 10m

TURNS ?= 3
ROWS  ?= .

.PHONY: spin
spin: ## search the same spaces by SPIN and by this, TURNS (3) times by turns, and print time and memory as in BENCHMARKS.md; ROWS='paxos|storage' takes those alone; needs spin and a C compiler
	cd tools/spin && go run . -n $(TURNS) -rows '$(ROWS)'

.PHONY: cores
cores: ## simulate the exhaustive phase with 1 to 64 workers, by what was measured on two cores, and print the tables of BENCHMARKS.md
	cd tools/scale && go run . -cores

.PHONY: protocols
protocols: ## search the protocols of state machines at the node counts of the P report's Table 3, at most ten minutes each
	@for of in "commit --nodes 5 --param transactions=1" "chain --nodes 7" "multipaxos --param proposers=1 --param acceptors=4 --param learners=2" \
		"multipaxos --param slots=1 --param values=1 --param rounds=1 --param learners=2" "election --nodes 5" "dispatcher" "reliable --nodes 3 --faults loss=1,dup=1" \
		"collections" "transactions" "transactions --param over=chain --param through=dispatcher --faults down=1@n2+n3+n5+n6" \
		"collections --param over=multipaxos --param through=dispatcher --param commands=1 --faults down=1@n3+n4"; do \
		echo "-- $$of"; $(EXHAUST) $$of | grep -E '^  (safety|liveness|counted|time) ' || exit 1; \
	done

PROTOCOLS := RL:7 EL:7 MP:8 CH:8 CM:7 DP:8 CL:8 TX:7

.PHONY: protocol-bugs
protocol-bugs: ## find each known bug of the protocols of state machines, on five seeds
	go run ./cmd/macemc bugs verify --no-clean $$(for of in $(PROTOCOLS); do for k in $$(seq $${of#*:}); do echo "$${of%:*}$$k"; done; done)

.PHONY: long
long: ## all cases of the tests, and the correct systems to a million states: half an hour
	@.ci/run long

.PHONY: limits
limits: ## interrupt a hundred searches, and search ten minutes within a budget of memory
	go test -count=1 -timeout 30m -run '^(TestInterruptions|TestMemoryBudget)$$' ./command -v -interruptions 100 -ten-minutes

.PHONY: campaign-large
campaign-large: ## the same of LARGE (2,000) random systems of 1,000 states or more
	@GOGC=400 go test -count=1 -timeout 0 -run '^TestCampaign$$' ./internal/oracle -v -campaign $(LARGE) -least 1000 -journal $(abspath bin/campaign-large.json)

CORRECT ?= 15m
STATE   ?= $(HOME)/.cache/macemc/correct

.PHONY: campaign-correct
campaign-correct: ## search each correct system for CORRECT (15m) of the processor, four of them four times as long; goes on where STATE says
	go test -count=1 -timeout 0 -run '^TestCorrectSystems$$' ./internal/verify -v -correct $(CORRECT) -folder $(abspath $(STATE))

CAMPAIGN = --depth 1 --walk-least 10000 --faults crash=2,reset=2,partition=1 --quiet --out bin/campaign

.PHONY: campaign
campaign: build ## 20,000 (WALKS) walks of 10,000 steps of randtree with each of 4 to 8 nodes, 100,000 of overcast
	@failed=0; \
	for nodes in 4 5 6 7 8; do \
		bin/macemc search randtree --nodes $$nodes --paths $(WALKS) $(CAMPAIGN) || failed=$$?; echo; \
	done; \
	bin/macemc search overcast --nodes 3 --paths $$((5 * $(WALKS))) $(CAMPAIGN) || failed=$$?; \
	exit $$failed

EACH ?= 10000

.PHONY: configurations
configurations: ## 10,000 (EACH) walks of 2,000 steps of raft's correct driver in each of twenty configurations; goes on where it was stopped
	@mkdir -p bin; journal="$(abspath bin/configurations.json)"; cd examples/raft; \
	go test -count=1 -timeout 0 -v -run '^TestConfigurations$$' -walks $(EACH) -walks-journal "$$journal" . | grep -E '^ *(---|walks_test|FAIL)'

.PHONY: lengths
lengths: ## print how many steps of the run of each of raft's known bugs are left, beside the fewest that were ever seen, on seed 1 (FIRST): two minutes
	@cd examples/raft; go test -count=1 -timeout 0 -v -run '^TestLengths$$' . -lengths -lengths-seed $(FIRST) | grep --line-buffered -E '^(\||.*lengths_test|FAIL)'

KILLS ?= 100

.PHONY: cluster-faults
cluster-faults: ## kill workers, coordinators and servers of NATS KILLS (100) times, with one copy of everything and with three, and change the protocol so that the tests must notice; goes on where it was stopped
	@mkdir -p bin; journal="$(abspath bin/cluster-faults.json)"; cd cluster; \
	go test -count=1 -timeout 0 -v -long -run '^TestFaultCampaign$$' -campaign $(KILLS) -campaign-journal "$$journal" . | grep --line-buffered -Ev '^=== '
	cd cluster && go test -count=1 -timeout 60m -v -long -run '^Test(DamageIsNoticed|DiskIsFull|PoisonIsLeftOut|VisitorReliesOnAnother|.*ThreeServers.*)$$' . | grep -Ev '^=== '

.PHONY: cluster-peterson
cluster-peterson: ## exhaust Peterson's lock of five processes, 576,551 states, in shards: as it is, without one node, with a hot spare, and killed as a whole
	cd cluster && go test -count=1 -timeout 100m -v -long -run '^TestFaultScenarios$$' -processes 5 . | grep -Ev '^=== '

.PHONY: module
module: ## give the module the path MODULE, by which it can be fetched: make module MODULE=example.org/you/macemc
	@go run ./internal/rename "$(MODULE)" && go build ./... && echo "the module is $(MODULE) now; tag a version of it, and it can be fetched"

.PHONY: fetched
fetched: ## rename a copy of the module, serve it as a version, and do the ten minutes by what is fetched
	go test -count=1 -run '^TestFetched$$' ./command -v -long

.PHONY: lint
lint: ## gofmt, go vet and staticcheck
	@.ci/run fmt vet staticcheck

.PHONY: check
check: ## everything that the continuous integration checks; run it before a push
	@.ci/run
