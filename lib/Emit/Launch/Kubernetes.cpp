// SPDX-License-Identifier: Apache-2.0
//
// A JobSet of one indexed job: a pod per node, which know each other by name.

#include "Templates.h"

namespace shardsmith::emit {

std::string kubernetesText(const LaunchRequest &request) {
  std::string text =
      R"(# kubectl apply -f launch.yaml, where JobSet is installed (jobset.sigs.k8s.io).
# To fill in: image, the script with its arguments, and the two claims. node.sh and
# the files beside it are expected in /plan of the image.
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: train
spec:
  network:
    enableDNSHostnames: true
  failurePolicy:
    # All pods start again, from the newest checkpoint.
    maxRestarts: 3
  replicatedJobs:
    - name: node
      replicas: 1
      template:
        spec:
          completionMode: Indexed
          completions: @NODES@
          parallelism: @NODES@
          backoffLimit: 0
          template:
            spec:
              restartPolicy: Never
              # One pod per node of the cluster.
              affinity:
                podAntiAffinity:
                  requiredDuringSchedulingIgnoredDuringExecution:
                    - topologyKey: kubernetes.io/hostname
                      labelSelector:
                        matchLabels:
                          jobset.sigs.k8s.io/jobset-name: train
              containers:
                - name: ranks
                  image: IMAGE
                  command: ["sh", "/plan/node.sh"]
                  args: ["TRAIN.py"]
                  env:
                    - name: NODE_RANK
                      valueFrom:
                        fieldRef:
                          fieldPath: metadata.annotations['batch.kubernetes.io/job-completion-index']
                    - name: MASTER_ADDR
                      value: train-node-0-0.train
                    - name: MASTER_PORT
                      value: "29500"
                    - name: CHECKPOINTS
                      value: /checkpoints
                    - name: DATA
                      value: /data
)";
  if (request.hasGpus)
    text += R"(                  resources:
                    limits:
                      nvidia.com/gpu: @LOCAL@
)";
  return text + R"(                  volumeMounts:
                    - name: checkpoints
                      mountPath: /checkpoints
                    - name: data
                      mountPath: /data
                    # Ranks of a node exchange through it.
                    - name: shared-memory
                      mountPath: /dev/shm
              volumes:
                - name: checkpoints
                  persistentVolumeClaim:
                    claimName: CHECKPOINTS-CLAIM
                - name: data
                  persistentVolumeClaim:
                    claimName: DATA-CLAIM
                - name: shared-memory
                  emptyDir:
                    medium: Memory
)";
}

} // namespace shardsmith::emit
