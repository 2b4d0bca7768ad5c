"""Loggers and trainers of any model."""

TOOLS = """
tool wandb (kind=general; version=0.31; names=w&b | weights and biases): Weights & Biases
system/cpu_percent: system/cpu  # of the process, over all cores
system/memory_percent (versions=old): system/memory
system/memory_percent: system/memory_percent | system/memory.used_percent
system/memory_available_gb (scale=0.0009765625): system/proc.memory.availableMB
system/memory_used_gb (scale=9.313225746154785e-10): system/memory.used  # in bytes
none: system/cpu.{core}.cpu_percent  # one core
system/process_memory_gb (scale=0.0009765625): system/proc.memory.rssMB
system/disk_used_gb (mount={parameter}): system/disk.{parameter}.usageGB
system/gpu_{utilization,memory}_percent: system/gpu.{gpu}.{gpu,memoryAllocated}
system/gpu_memory_used_gb (scale=9.313225746154785e-10): system/gpu.{gpu}.memoryAllocatedBytes
system/gpu_{power_w,temperature_c}: system/gpu.{gpu}.{powerWatts,temp}; time/elapsed_s: _runtime
progress/step: _step

tool runvitals (kind=general; version=0.1; names=rv): runvitals
# Every canonical id is its own alias; these are the names that the recorder adds.
policy/action_share (action={i}): action_{group}_{i} | Actions/{group}_{i}
time/{eval,training}_s: timing_s/{eval,update}
system/{cpu,other_cpu,cpu_steal,memory}_percent: System/{CPU,Other_CPU,CPU_Steal,Memory}_Percent
system/{memory_used,memory_available,process_memory}_gb:
  System/{Memory_Used,Memory_Available,Process_Memory}_GB
system/gpu_memory_{used_gb,total_gb,percent}: System/GPU_Memory_{Used_GB,Total_GB,Percent}
system/gpu_utilization_percent: System/GPU_Utilization
none: System/Process_CPU_Percent  # CPU use of the process, 100 a core
none: System/Process_Threads; system/disk_free_gb: System/Disk_Free_GB
system/gpu_{power_w,temperature_c}: System/GPU_{Power_W,Temperature_C}
system/gpu_utilization_percent: System/GPU{gpu}_Utilization
system/gpu_memory_used_gb: System/GPU{gpu}_Memory_Used_GB

tool keras (kind=general; version=3.16.0; names=tf.keras; marks=loss accuracy val_loss val_accuracy
  | loss acc val_loss val_acc | loss mae val_loss val_mae | epoch_loss epoch_accuracy | epoch_loss
  evaluation_loss_vs_iterations): Keras
progress/epoch: epoch
optim/loss: loss  # running mean over batches while weights change
eval/loss: val_loss
supervised/accuracy: accuracy  # also acc, sparse_categorical_accuracy, ...
eval/supervised/accuracy: val_accuracy; optim/learning_rate: learning_rate [with LR callback]
supervised/metric (name={metric}): {metric}; eval/supervised/metric (name={metric}): val_{metric}
optim/loss: epoch_loss; supervised/metric (name={metric}): epoch_{metric}
optim/learning_rate: epoch_learning_rate
throughput/updates_per_s: batch_steps_per_second [update_freq set]
eval/supervised/metric (name={metric}): evaluation_{metric}_vs_iterations [evaluate()]

tool pytorch-lightning (kind=general; version=2.6.2; names=lightning; marks=train_loss_step
  train_loss_epoch | train/loss_step train/loss_epoch | loss_step loss_epoch): PyTorch Lightning
progress/optimizer_steps: step; progress/epoch: epoch
supervised/metric: {name} | {name}_step | {name}_epoch
supervised/metric (dataloader={i}): {name}/dataloader_idx_{i}
[convention]
optim/loss: train_loss; optim/loss (per=step): loss_step | train_loss_step | train/loss_step
eval/loss (per=step): val_loss_step | val/loss_step
supervised/accuracy (per=step): train_acc_step | train/acc_step
optim/loss (per=epoch): loss_epoch | train_loss_epoch | train/loss_epoch
eval/loss (per=epoch): val_loss_epoch | val/loss_epoch
supervised/accuracy (per=epoch): train_acc_epoch | train/acc_epoch; eval/loss: val_loss
supervised/accuracy: train_acc; eval/supervised/accuracy: val_acc
[LearningRateMonitor]
optim/learning_rate: lr-{optimizer}; none: lr-{optimizer}-momentum
optim/weight_decay: lr-{optimizer}-weight_decay
optim/grad_norm: grad_{p}_norm_total [lightning.pytorch.utilities.grad_norm]
none: grad_{p}_norm/{parameter} [grad_norm]
[ThroughputMonitor]
throughput/updates_per_s: {stage}|batches_per_sec  # prefix is the stage name plus the separator,
  '|' by default
throughput/samples_per_s: {stage}|samples_per_sec  # prefix is the stage name plus the separator,
  '|' by default
throughput/tokens_per_s: {stage}|items_per_sec  # prefix is the stage name plus the separator, '|'
  by default
throughput/tokens_per_s_per_device: {stage}|device/items_per_sec  # prefix is the stage name plus
  the separator, '|' by default
throughput/mfu: {stage}|device/mfu  # prefix is the stage name plus the separator, '|' by default
throughput/tflops_per_device (scale=1e-12): {stage}|device/flops_per_sec  # prefix is the stage name
  plus the separator, '|' by default
time/elapsed_s: {stage}|time  # prefix is the stage name plus the separator, '|' by default
progress/samples: {stage}|samples  # prefix is the stage name plus the separator, '|' by default
system/cpu_percent: DeviceStatsMonitor.{hook}/{key} [DeviceStatsMonitor]  # map by {key}

tool ultralytics (kind=general; version=8.3; names=yolo | yolov5 | yolov8;
  marks=metrics/mAP50(B) metrics/mAP50-95(B) | metrics/mAP_0.5 metrics/mAP_0.5:0.95
  | metrics/accuracy_top1 metrics/accuracy_top5): Ultralytics YOLO
progress/epoch: epoch
time/elapsed_s: time
eval/supervised/score: metrics/mAP50-95(B) | metrics/mAP_0.5:0.95
eval/supervised/score (of={what}): metrics/mAP50-95({what})
eval/supervised/score (iou=0.5): metrics/mAP50(B) | metrics/mAP_0.5
eval/supervised/score (iou=0.5; of={what}): metrics/mAP50({what})
eval/supervised/score (name=precision): metrics/precision | metrics/precision({what})
eval/supervised/score (name=recall): metrics/recall | metrics/recall({what})
eval/supervised/accuracy: metrics/accuracy_top1
eval/supervised/accuracy (top=5): metrics/accuracy_top5
optim/loss: train/loss
optim/loss (part={part}): train/{part}_loss  # one of several that are added up
eval/loss: val/loss
eval/loss (part={part}): val/{part}_loss  # one of several that are added up
optim/learning_rate: lr/pg{group} | x/lr{group}  # of a group of parameters
"""
