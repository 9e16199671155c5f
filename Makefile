# podclock: `make e2e` runs the trials on a real cluster, `make test` everything that needs none. Both set up what they need.
#
# Variables of `make e2e`:
#   SUBJECTS=v1.36.3,v1.36.3+resultrun-one   the kubelets under test
#   FOCUS=regexp  SKIP=regexp  LABELS=filter the trials, as Ginkgo's --focus, --skip and --label-filter
#   DRY_RUN=1                                list the trials instead
#   KEEP=1                                   leave the cluster for the next run; `make down` deletes it
#   NODE_IMAGE=build|published|reference     the nodes' image
#   CLUSTER=name  KIND_CONFIG=file  OUT=dir  where
#   GINKGO_ARGS='…'                          any other Ginkgo flags, spelled --ginkgo.…

GINKGO := --ginkgo.silence-skips \
	$(if $(FOCUS),--ginkgo.focus='$(FOCUS)') $(if $(SKIP),--ginkgo.skip='$(SKIP)') $(if $(LABELS),--ginkgo.label-filter='$(LABELS)') \
	$(if $(DRY_RUN),--ginkgo.dry-run --ginkgo.v) $(GINKGO_ARGS)

GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: e2e test judge down bench lint build

e2e: build
	@./bin/podclock.test --test.run='^TestSuites$$' --test.timeout=0 $(GINKGO)

test:
	go vet ./...
	go vet -tags e2e ./suites
	go test ./...

build:
	@mkdir -p bin
	@go test -c -tags e2e -o bin/podclock.test ./suites
	@go build -o bin/podclock ./suites/podclock

# RUN is a run's folder or its run.json.
judge: build
	@./bin/podclock judge $(or $(RUN),$(or $(OUT),out)/latest)

down: build
	@./bin/podclock down

bench:
	go test -run='^$$' -bench='Judge|Marks|Memory|UnchangedBuild' ./suites ./images/...
	go test -run='^$$' -bench=Death -benchtime=500x ./images/fault

lint:
	go run $(GOLANGCI) run ./...
