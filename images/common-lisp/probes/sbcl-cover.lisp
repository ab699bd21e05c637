(lispwright.agent::cover {{code}} {{names}})
