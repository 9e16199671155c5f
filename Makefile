# `make e2e` runs the trials on a real cluster. `make rehearse` runs them on the kubelets' code under virtual time and
# needs only Go. `make test` runs the tests that take seconds, `make test-images test-pages test-virtual` the others. None
# of them needs a cluster. All targets set up what they need.
#
# The targets call the program, bin/podclock. Its --help describes every flag. A flag with a variable in brackets can be
# given here as NAME=value. The value reaches the program through the environment, so it may contain spaces.
#
# `make e2e` and `make rehearse` (podclock run); the latter ignores the variables of a cluster:
#   SUBJECTS=v1.37.2,v1.37.2+resultrun-one   the kubelets under test: versions, mutations, or the path of a binary
#                                            or of a checkout of Kubernetes (./kubernetes, ./kubernetes@REVISION).
#                                            virtual:v1.37.2 is in the virtual lane. `make rehearse` puts all subjects
#                                            there, by default all versions of that lane
#   PROFILE=quick|full                       some 130 trials of at most three minutes, or all; `make rehearse` runs all
#   FOCUS=regexp  SKIP=regexp  LABELS=filter select trials
#   WITHIN=3m                                of these, the trials that find the most in this time
#   SEED=1                                   what the random numbers of virtual nodes depend on
#   DRY_RUN=1                                list the trials instead
#   KEEP=1                                   leave the cluster for the next run; `make down` deletes it
#   NODE_IMAGE=build|published|reference     the nodes' image
#   CLUSTER=name  KIND_CONFIG=file  OUT=dir  the cluster, its base configuration, the folder of runs
#   JUNIT=file                               write the JUnit report to this file as well
#   GINKGO_ARGS='--ginkgo.v …'               flags of Ginkgo's, with its prefix. The trials are its specs, so
#                                            `go tool ginkgo --tags e2e ./suites` plays them as well
# `make fuzz`, random scenarios on virtual nodes (podclock fuzz):
#   SUBJECTS=virtual:v1.37.2                 the subjects, in the virtual lane; default the newest version
#   SCENARIOS=10000  SEED=1  KINDS=10        scenarios for each subject, the first seed, and the number of kinds of
#                                            violations that ends a subject
#   OUT=dir                                  the folder: OUT/fuzz-…/fuzz.md
# `make predictions`, random manifests predicted and played (podclock fuzz --predictions), with the variables of
# `make fuzz`; SCENARIOS is 1000 by default. `make soak` and SOAK= are the old names of `make fuzz` and SCENARIOS.
# `make repeat`, the same trials in many rounds, with the variables of `make e2e` except DRY_RUN, JUNIT and GINKGO_ARGS:
#   N=50  COPIES=1                           the number of rounds, and of workers of each subject
#   LANE=node|virtual                        the lane of subjects that name none
#   REPEAT_ARGS='--inconclusive-below=0.5'   other flags of podclock repeat; --of=FOLDER reads saved runs instead.
#                                            The exit code is 0 if every round was judged, no trial deviates, and the
#                                            share of inconclusive verdicts stays below this percentage
# `make disturb`, trials on disturbed nodes, with the variables of `make e2e` except SKIP, LABELS, DRY_RUN, JUNIT and
# GINKGO_ARGS:
#   DISTURBANCES=kubelet,runtime             cpu, disk, slow, kubelet, recorder, runtime, api-server; default all.
#                                            An undisturbed round comes first
#   SUBJECTS=v1.37.2,v1.37.2+resultrun-one   a released kubelet, and mutants that the trials of FOCUS kill; without
#                                            both, podclock chooses
# `make load`, what many pods on one node cost (podclock bench), with SUBJECTS, KEEP, OUT and those of a cluster:
#   LOAD=restarts|probes                     containers in crash loops (the default), or probes each second
#   PODS=110  FOR=3m  HANDLER=http           the numbers of pods, the duration of each row, and the probes' handler
# `make mutants`, mutants under test beside the unchanged kubelet:
#   MUTANTS=name,name|regexp                 the mutations; default all
#   LANE=virtual|node|both                   the lanes; default virtual
#   RECORD=docs/generated/mutants            the folder of the last verdicts of all mutants: the run adds its own, and
#                                            LANE=node alone takes the trials that killed a mutant in the virtual lane.
#                                            UNMET=1 leaves out the mutants with a verdict in it
#   PROFILE=full|quick  VERSION=v1.37.2      the trials and the version to mutate; default all and the newest.
#   WITHIN=75m                               the longest duration of the node lane: short mutants come first,
#                                            and mutants without time left are left out and listed
#   AT_LEAST=95  OUT=dir                     the score below which it fails, and the folder: OUT/mutants-…/proof.md
#   COUNT=200  SEED=1  CODE=regexp           instead of these, mutants that are drawn by a seed, or by each of several
#                                            (1,2,3), from the code that trials execute; CODE chooses packages by path.
#                                            The folder is OUT/drawn-…, with drawn.md
#   LOCATE=1                                 each of these that a claim kills meets its other trials, at most 100: does a
#                                            run name the mutated function?
# `make histories`, random lives of pods for the judge, computed by a model of its own: SEED=2, default that of `make test`
# `make reach`, the code of Kubernetes that trials execute: it writes docs/generated/reach.md, and the map that
#   reports of runs use, harness/reach/map.json.gz
# `make report`, `make judge`, `make compare`, `make history`, `make keep-night`, `make ci-report`, `make divergences`:
#   RUN=out/latest                           the saved run; FORMATS=html,junit,… and TO=dir are for `make report`
#   BEFORE=run  NIGHTS=nights                the run to compare with, and the folder of earlier runs
# `make site`, the documents and a report as a web site; it needs Node.js 18 or newer, with npm:
#   RUN=out/latest  BASE=/podclock/          the saved run whose report is shown, default the newest one of NIGHTS if
#                                            that is given; and the site's path on its host, default /
# `make release`, `make check-release`, `make publish`, a release in OUT/release; docs/release.md:
#   TAG=v0.4.0  GH_TOKEN=token  IMAGE=place  the tag, and the token of GitHub, to publish with gh; and the place in a
#                                            registry for the program's image, none by default
# `make vm`, trials in a guest with systemd and cgroup v2, which needs root and apt (docs/hosts.md):
#   ENGINE=docker|podman|rootless  OUT=dir   the guest's container engine (rootless is podman), and the folder of the runs
# `make drift`, the formulas whose functions changed between two sources of Kubernetes:
#   OLD=v1.37.2  NEW=./kubernetes            each a release, or the folder of a clone; these are the defaults
# `make track-record`: PROOF=out/latest-mutants is a saved mutation test

OUT_DIR := $(or $(OUT),out)
LAST := $(or $(RUN),$(OUT_DIR)/latest)
NIGHTS_DIR := $(or $(NIGHTS),nights)
LAST_PROOF := $(or $(PROOF),$(OUT_DIR)/latest-mutants)

# ./... leaves out folders that begin with a dot.
CI_PACKAGES := ./.ci/house ./.ci/release

GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
ACTIONLINT := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
# The database for hosts that do not reach vuln.go.dev.
VULNDB := golang.org/x/vulndb@v0.0.0-20261105234957-e22db6528018
CYCLONEDX := github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0
CRANE := github.com/google/go-containerregistry/cmd/crane@v0.22.1

.PHONY: e2e rehearse repeat disturb load fuzz soak predictions test test-images test-pages test-virtual test-kwok vet web site judge down bench lint actionlint vulns vm tool catalogue catalogue-md versions-md changes-md refactorings drift divergences mutants reach newer histories sensitivity \
	track-record report compare history keep-night cache-key ci-report proof-summary release check-release publish

e2e: tool
	@LANE=node ./bin/podclock run $(GINKGO_ARGS)

rehearse: tool
	@LANE=virtual ./bin/podclock run $(GINKGO_ARGS)

# All rounds share one cluster. The report is OUT/repeat-…/repeat.md, rewritten after every round.
repeat: tool
	@./bin/podclock repeat $(REPEAT_ARGS)

# All rounds share one cluster. The table is OUT/disturbance-…/disturbance.md, rewritten after every round.
disturb: tool
	@./bin/podclock disturb

# The tables and the picture are in OUT/bench-….
load: tool
	@./bin/podclock bench '$(or $(LOAD),restarts)'

mutants: tool
	@./bin/podclock mutants

histories:
	PODCLOCK_HISTORIES_SEED='$(SEED)' go test -count=1 -run='^TestJudgeFindsExactlyWhatIsOutside$$' ./suites

reach: tool
	@./bin/podclock reach --save=harness/reach/map.json.gz --output=markdown > docs/generated/reach.md.new || { rm docs/generated/reach.md.new; exit 1; }
	@mv docs/generated/reach.md.new docs/generated/reach.md

fuzz predictions: export SCENARIOS := $(or $(SCENARIOS),$(SOAK))
fuzz: tool
	@./bin/podclock fuzz

predictions: tool
	@$(if $(SOAK),echo 'SOAK is now SCENARIOS' >&2)
	@./bin/podclock fuzz --predictions

sensitivity:
	@echo 'make sensitivity is now make mutants' >&2
	@$(MAKE) --no-print-directory mutants

soak:
	@echo 'make soak is now make fuzz, and SOAK is SCENARIOS' >&2
	@$(MAKE) --no-print-directory fuzz

# The tests that need no virtual node, no browser and no image. -short leaves those to the targets below.
test:
	go test -short -parallel=8 ./... $(CI_PACKAGES)

# The tests that compile podclock or its images.
test-images:
	go test -timeout=30m ./images/... ./reports/cli ./reports/cli/incluster

# The tests that open pages in a browser. The web page is built first, because go test would hide its progress.
test-pages:
	GOOS=js GOARCH=wasm go vet ./reports/predict/web/wasm
	./.ci/browser
	go run ./reports/predict/web/build out/web
	go test -timeout=30m ./reports/render/html ./reports/render/trend ./reports/predict/web

# The tests that play trials on virtual nodes, and the virtual node's own. Its first build takes minutes, so it comes
# before go test as well.
test-virtual: tool
	./bin/podclock build virtual:v1.37.2
	go test -timeout=30m ./harness/fuzz/... ./harness/promises ./harness/kubelets/builder
	go test -timeout=30m -run='^TestVirtualNode$$' ./harness/kubelets/builder -virtual=v1.37.2
	go test -run='^TestExtensionPlaysTrials$$' ./reports/cli -virtual=v1.37.2

# KWOK's own code plays the Stages of podclock export kwok. It is in no go.mod of podclock's: a copy has it.
KWOK := sigs.k8s.io/kwok@v0.8.0
test-kwok:
	@mkdir -p '$(OUT_DIR)' && cp go.mod '$(OUT_DIR)/kwok.mod' && cp go.sum '$(OUT_DIR)/kwok.sum'
	go get -modfile='$(OUT_DIR)/kwok.mod' $(KWOK)
	go test -mod=mod -modfile='$(OUT_DIR)/kwok.mod' ./.ci/kwok

vet:
	go vet ./... $(CI_PACKAGES)
	go vet -tags e2e ./suites

# The web page that predicts without a server: the files in OUT/web, for any static host.
web:
	@go run ./reports/predict/web/build '$(OUT_DIR)/web'

# The documents, the page that predicts and the report of RUN as one site: the files in OUT/site, for any static host.
site: tool
	@./.ci/site '$(OUT_DIR)/site' '$(or $(RUN),$(lastword $(sort $(wildcard $(NIGHTS)/[0-9]*))),$(LAST))'
	@go test -count=1 -run='^TestLinksOfSite$$' ./.ci/house -site='$(abspath $(OUT_DIR))/site' $(if $(BASE),-base='$(BASE)')

# A guest without hardware acceleration takes some 25 minutes. OUT/vm has its console and its runs.
vm: tool
	@./.ci/vm '$(or $(ENGINE),docker)' '$(OUT_DIR)/vm'

tool:
	@mkdir -p bin
	@go build -buildvcs=auto -o bin/podclock .

judge: tool
	@./bin/podclock judge '$(LAST)'

# The formats of a saved run; podclock report --help lists them.
report: tool
	@./bin/podclock report '$(LAST)' $(if $(FORMATS),--format='$(FORMATS)') $(if $(TO),--to='$(TO)')

# From BEFORE, or the newest run of NIGHTS, to RUN. The runs of NIGHTS show how far values scatter.
compare: tool
	@./.ci/compare '$(LAST)' '$(NIGHTS_DIR)' '$(BEFORE)'

# The runs of NIGHTS as a page, OUT/history.html, and on standard output.
history: tool
	@mkdir -p '$(OUT_DIR)'
	@./bin/podclock history '$(NIGHTS_DIR)'
	@./bin/podclock history --output=html '$(NIGHTS_DIR)' > '$(OUT_DIR)/history.html'

# RUN joins the runs of NIGHTS. The newest 30 are kept.
keep-night: tool
	@./.ci/keep-night '$(LAST)' '$(NIGHTS_DIR)' 30

# Annotations of RUN on standard output, and a summary in the file GITHUB_STEP_SUMMARY if it is set.
ci-report: tool
	@./.ci/report '$(LAST)' '$(NIGHTS_DIR)'

# The report of PROOF in the file GITHUB_STEP_SUMMARY or on standard output. GitHub shows at most one mebibyte.
proof-summary:
	@head -c 1000000 '$(LAST_PROOF)/proof.md' >> "$${GITHUB_STEP_SUMMARY:-/dev/stdout}"

# The hash of the sources of the nodes' image, kubelets and virtual nodes. CI caches builds by it.
cache-key: tool
	@./bin/podclock build --key v1.37.2 v1.36.3 v1.35.4 v1.34.4 v1.23.1 virtual:v1.37.2 virtual:v1.36.3 virtual:v1.35.4 virtual:v1.34.4

# Every trial with its claims, formulas and sources, without a cluster.
catalogue: tool
	@./bin/podclock catalogue

catalogue-md: tool
	@./bin/podclock catalogue --output=markdown > suites/CATALOGUE.md.new || { rm suites/CATALOGUE.md.new; exit 1; }
	@mv suites/CATALOGUE.md.new suites/CATALOGUE.md

# What changed between neighbouring releases, measured in the virtual lane: add a new release here.
changes-md: tool
	@mkdir -p out
	@./bin/podclock changes v1.31.14 v1.32.13 v1.33.13 v1.34.4 v1.35.4 v1.36.3 v1.37.2 v1.38.0-beta.0 > out/changes.md
	@mv out/changes.md docs/changes.md

# docs/versions.md of the changes that the formulas ask for.
versions-md: tool
	@./bin/podclock version --changes > docs/versions.md

# podclock try on refactorings of the kubelet. None may count as a change.
refactorings: tool
	@./.ci/refactor

# From OLD to NEW, in the file GITHUB_STEP_SUMMARY or on standard output. A function that changed, exit code 3, is no
# failure; one that is gone is.
drift: tool
	@./bin/podclock drift '$(or $(OLD),v1.37.2)' '$(or $(NEW),./kubernetes)' --output=markdown >> "$${GITHUB_STEP_SUMMARY:-/dev/stdout}" || test $$? = 3

# Fails if the module proxy has releases that podclock does not know.
newer:
	go test -count=1 ./harness/kubelets -run=NoNewerRelease -newer

# docs/generated/divergences.md of a full run on all versions.
divergences: tool
	@./bin/podclock divergences --judge '$(LAST)' > docs/generated/divergences.md.new || { rm docs/generated/divergences.md.new; exit 1; }
	@mv docs/generated/divergences.md.new docs/generated/divergences.md

# docs/generated/track-record.md of a full run on all versions and mutation tests that have all mutants together:
# PROOF="folder folder", or the record of them.
track-record: tool
	@./bin/podclock track-record --judge '$(LAST)' $(foreach p,$(LAST_PROOF),'$(p)') > docs/generated/track-record.md.new || { rm docs/generated/track-record.md.new; exit 1; }
	@mv docs/generated/track-record.md.new docs/generated/track-record.md

# The files of a release of this commit, in OUT/release. docs/release.md says what each is.
release:
	@go run ./.ci/release --sbom=$(CYCLONEDX) '$(OUT_DIR)/release'

# A second build must have the same checksums.
check-release:
	@cd '$(OUT_DIR)/release' && sha256sum --check --quiet SHA256SUMS
	@go run ./.ci/release --sbom=$(CYCLONEDX) '$(OUT_DIR)/release-again'
	@diff '$(OUT_DIR)/release/SHA256SUMS' '$(OUT_DIR)/release-again/SHA256SUMS'

publish:
	@CRANE=$(CRANE) ./.ci/publish '$(OUT_DIR)/release' '$(TAG)' '$(IMAGE)'

down: tool
	@./bin/podclock down

bench:
	go test -run='^$$' -bench='Judge|Marks|Memory|UnchangedBuild' ./suites ./images/...
	go test -run='^$$' -bench=Page -benchtime=5x ./reports/predict/web
	go test -run='^$$' -bench=Death -benchtime=500x ./images/fault

lint: actionlint
	go run $(GOLANGCI) run ./... ./.ci/release

actionlint:
	go run $(ACTIONLINT)

# Known vulnerabilities that the program can meet. With MAY_SKIP=1 it passes if no database is in reach.
vulns:
	@./.ci/vulns '$(GOVULNCHECK)' '$(VULNDB)'
