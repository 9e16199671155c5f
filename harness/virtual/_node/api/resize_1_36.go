//go:build kubelet1_36

package api

import (
	kadmission "k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/plugin/pkg/admission/podresize"
)

func resizeValidator(factory informers.SharedInformerFactory) (kadmission.ValidationInterface, error) {
	plugin, err := podresize.NewPlugin()
	if err != nil {
		return nil, err
	}
	plugin.SetExternalKubeInformerFactory(factory)
	var validator kadmission.ValidationInterface = plugin
	if wants, ok := validator.(initializer.WantsFeatures); ok { // until 1.37
		wants.InspectFeatureGates(utilfeature.DefaultFeatureGate)
	}
	return validator, nil
}
