# podclock: `make e2e` runs the trials on a real cluster, `make rehearse` on the kubelets' code under virtual time, with nothing but Go, and `make test`
# everything that needs no cluster. All set up what they need.
#
# The targets call the program, bin/podclock, whose --help tells everything: each of its flags that has a variable in brackets can be given here as NAME=value. It
# reaches the program through the environment, as make passes on what it was given, so a value may have spaces. The variables of
# `make e2e` and, as far as they have nothing to do with a cluster, of `make rehearse` (podclock run):
#   SUBJECTS=v1.36.3,v1.36.3+resultrun-one   the kubelets under test: versions, mutations, or the path of a binary. virtual:v1.36.3 is one of the virtual
#                                            lane; `make rehearse` takes every subject for one, and without SUBJECTS all versions that there are
#   PROFILE=quick|full                       the trials of at most three minutes, or all; `make rehearse` has all
#   FOCUS=regexp  SKIP=regexp  LABELS=filter the trials
#   DRY_RUN=1                                list the trials instead
#   KEEP=1                                   leave the cluster for the next run; `make down` deletes it
#   NODE_IMAGE=build|published|reference     the nodes' image
#   CLUSTER=name  KIND_CONFIG=file  OUT=dir  where
#   JUNIT=file                               the JUnit report, there too
#   GINKGO_ARGS='…'                          any flags of Ginkgo's, spelled --ginkgo.…
# `make soak`, random scenarios against the formulas on virtual nodes:
#   SUBJECTS=virtual:v1.36.3                 the subjects, of the virtual lane; without it the newest version
#   SOAK=10000  SEED=1  KINDS=10             how many scenarios on each subject, the first one's seed, and after how many kinds of violations to stop
# `make repeat`, the same selection again and again, beside those of `make e2e` but DRY_RUN, JUNIT and GINKGO_ARGS:
#   N=50  COPIES=1                           how many rounds, and how many workers each subject has in every one of them: so many repeats a round gives
#   LANE=node|virtual                        the lane of subjects that name none
#   REPEAT_ARGS='--inconclusive-below=0.5'   other flags, see bin/podclock repeat --help; --of=FOLDER reads runs that there are instead
#                                            It ends with 0 where all rounds came to verdicts, none deviates, and fewer percent are inconclusive or cut short
# `make disturb`, a selection under each disturbance of its nodes, beside those of `make e2e` but SKIP, LABELS, DRY_RUN, JUNIT and GINKGO_ARGS:
#   DISTURBANCES=kubelet,runtime             which: cpu, disk, kubelet, recorder, runtime, api-server; all without it. An undisturbed row comes first
#   SUBJECTS=v1.36.3,v1.36.3+resultrun-one   a clean kubelet and mutants that FOCUS' trials tell from it; without both, what harness/session/disturbance chooses
# `make sensitivity`, mutants under test beside the released code:
#   MUTANTS=name,name|regexp                 which mutations; all without it
#   LANE=virtual|node|both                   where: each mutant meets the catalogue under virtual time, or what caught it there in a cluster of many; virtual
#                                            without it. For LANE=node alone, WITNESSES=out/sensitivity-… is the saved proof that says what caught it
#   PROFILE=full|quick  VERSION=v1.36.3      the trials, of which the node lane takes what should catch each mutant, and the version to change; all and the newest
#                                            without it. WHOLE_PROFILE=1 has every mutant meet all of them in the node lane, too, which takes hours
#   WITHIN=75m                               how long the node lane may take: mutants of all areas come first, the others are left out by name; all without it
#   AT_LEAST=95  OUT=dir                     the score in percent below which it fails, and where it is saved, as OUT/sensitivity-…/proof.md
# `make report`, `make judge`, `make compare`, `make history`, `make keep-night`, `make ci-report`, `make divergences`, of saved runs:
#   RUN=out/latest                           the run; FORMATS=html,junit,… and TO=dir are those of `make report`
#   BEFORE=run  NIGHTS=nights                what it is compared with, and the folder of runs that are a history
# `make track-record`, `make sensitivity-md`: PROOF=out/latest-sensitivity is a saved proof

OUT_DIR := $(or $(OUT),out)
LAST := $(or $(RUN),$(OUT_DIR)/latest)
NIGHTS_DIR := $(or $(NIGHTS),nights)
LAST_PROOF := $(or $(PROOF),$(OUT_DIR)/latest-sensitivity)

GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
ACTIONLINT := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

.PHONY: e2e rehearse repeat disturb soak test judge down bench lint actionlint tool catalogue catalogue-md divergences sensitivity sensitivity-md \
	track-record report compare history keep-night cache-key ci-report proof-summary

e2e: tool
	@LANE=node ./bin/podclock run $(if $(GINKGO_ARGS),-- $(GINKGO_ARGS))

rehearse: tool
	@LANE=virtual ./bin/podclock run $(if $(GINKGO_ARGS),-- $(GINKGO_ARGS))

# One cluster stands from the first round to the last. The report is OUT/repeat-…/repeat.md, written anew after every round.
repeat: tool
	@./bin/podclock repeat $(REPEAT_ARGS)

# One cluster stands from the first row to the last. The table is OUT/disturbance-…/disturbance.md, written anew after every row.
disturb: tool
	@./bin/podclock disturb

sensitivity: tool
	@./bin/podclock sensitivity

soak: export SOAK := $(or $(SOAK),10000)
soak:
	@go test -count=1 -timeout=0 -v -run='^TestSoak$$' ./harness/soak

# The tests need a virtual node. Building one takes minutes the first time: it comes before them, as go test would hold back what it says. The last line is the
# virtual node's own tests, most of which it has compiled.
test: tool
	go vet ./...
	go vet -tags e2e ./suites
	./.ci/browser
	./bin/podclock build virtual:v1.36.3
	go test -timeout=30m ./...
	go test -timeout=30m -run='^TestVirtualNode$$' ./harness/kubelet/builder -virtual=v1.36.3

tool:
	@mkdir -p bin
	@go build -o bin/podclock .

judge: tool
	@./bin/podclock judge '$(LAST)'

# Files of a saved run, as podclock report --help lists them.
report: tool
	@./bin/podclock report '$(LAST)' $(if $(FORMATS),--format='$(FORMATS)') $(if $(TO),--to='$(TO)')

# From BEFORE, or the newest run of NIGHTS, to RUN; the runs of NIGHTS tell how far values scatter.
compare: tool
	@./.ci/compare '$(LAST)' '$(NIGHTS_DIR)' '$(BEFORE)'

# The runs of NIGHTS as a page, OUT/history.html, and on standard output.
history: tool
	@mkdir -p '$(OUT_DIR)'
	@./bin/podclock history '$(NIGHTS_DIR)'
	@./bin/podclock history --output=html '$(NIGHTS_DIR)' > '$(OUT_DIR)/history.html'

# RUN joins the runs of NIGHTS, of which the newest 30 stay.
keep-night: tool
	@./.ci/keep-night '$(LAST)' '$(NIGHTS_DIR)' 30

# What a job tells of RUN: annotations on standard output, and a summary in the file GITHUB_STEP_SUMMARY, if there is one.
ci-report: tool
	@./.ci/report '$(LAST)' '$(NIGHTS_DIR)'

# PROOF, in the file GITHUB_STEP_SUMMARY or on standard output: GitHub shows no more than a mebibyte.
proof-summary:
	@head -c 1000000 '$(LAST_PROOF)/proof.md' >> "$${GITHUB_STEP_SUMMARY:-/dev/stdout}"

# The hash of all that the nodes' image, the kubelets and the virtual nodes are built from, by which what was built can be kept from job to job.
cache-key: tool
	@./bin/podclock build --key v1.36.3 v1.35.4 v1.34.4 v1.23.1 virtual:v1.36.3 virtual:v1.35.4 virtual:v1.34.4

# Every trial with its claims, formulas and sources, without a cluster.
catalogue: tool
	@./bin/podclock catalogue

catalogue-md: tool
	@./bin/podclock catalogue --output=markdown > suites/CATALOGUE.md.new || { rm suites/CATALOGUE.md.new; exit 1; }
	@mv suites/CATALOGUE.md.new suites/CATALOGUE.md

# docs/generated/divergences.md of a full run on all versions.
divergences: tool
	@./bin/podclock divergences '$(LAST)' > docs/generated/divergences.md.new || { rm docs/generated/divergences.md.new; exit 1; }
	@mv docs/generated/divergences.md.new docs/generated/divergences.md

# docs/generated/sensitivity.md of a proof of all mutants in both lanes. Its node lane can be judged again before: bin/podclock sensitivity --judge=out/latest-sensitivity
sensitivity-md:
	@cp '$(LAST_PROOF)/proof.md' docs/generated/sensitivity.md

# docs/generated/track-record.md of a full run on all versions and a proof of all mutants, or several proofs of some each: PROOF="folder folder".
track-record: tool
	@./bin/podclock track-record '$(LAST)' $(foreach p,$(LAST_PROOF),'$(p)') > docs/generated/track-record.md.new || { rm docs/generated/track-record.md.new; exit 1; }
	@mv docs/generated/track-record.md.new docs/generated/track-record.md

down: tool
	@./bin/podclock down

bench:
	go test -run='^$$' -bench='Judge|Marks|Memory|UnchangedBuild' ./suites ./images/...
	go test -run='^$$' -bench=Death -benchtime=500x ./images/fault

lint: actionlint
	go run $(GOLANGCI) run ./...

actionlint:
	go run $(ACTIONLINT)
