"""Metrics of the machine, of how far the run is, and of what steers it."""

METRICS = """
# The machine
system/cpu_percent (percent, neutral; reference): CPU use = CPU use of the machine
  watch for: At 100 with idle GPUs: the input pipeline is the bottleneck.
  related: system/gpu_utilization_percent
system/other_cpu_percent (percent, lower): CPU use of other processes = CPU use of processes that do
    not belong to the run, of all cores
  watch for: Speeds that were measured while this is high say little about the run.
  related: system/cpu_percent, throughput/env_steps_per_s
  not the same as: system/cpu_percent
system/cpu_steal_percent (percent, lower): CPU time stolen = CPU time that the host gave to other
    virtual machines, of all cores
  watch for: Above a few percent, the host is overbooked, and every speed suffers.
  related: system/other_cpu_percent, system/cpu_percent
system/memory_percent (percent, lower; reference): Memory use = Main memory in use
  watch for: Slow growth is a leak; the end is the out-of-memory killer.
  related: system/process_memory_gb, system/memory_available_gb
  not the same as: system/gpu_memory_percent
  healthy: * to 90.0 (kind=limit): above this the system is about to run out of memory [reference]
system/memory_used_gb (GB, lower; reference): Memory in use = Main memory in use
  watch for: Steady growth over hours is a leak: often a list that keeps tensors, or a cache without
    a limit.
  related: system/memory_percent
system/memory_available_gb (GB, higher; reference): Memory available = Main memory available
  watch for: When it nears zero the system swaps and the run crawls, or the process is killed
    without a message of its own.
  related: system/memory_percent
system/process_memory_gb (GB, lower; reference): Memory of the process = Resident memory of the
    process
  watch for: Growth that never stops is a leak, often of logged tensors that keep their graph alive.
  related: system/memory_percent
system/gpu_utilization_percent (percent, higher; reference): GPU utilisation = GPU busy share
  watch for: The device waits when this is low: data, generation, environment or communication.
  related: throughput/mfu, throughput/updates_per_s
  not the same as: throughput/mfu
  healthy: 50.0 to * (kinds=llm): below this the device mostly waits [reference]
  context: training of language models; small networks cannot keep a GPU busy
system/gpu_memory_used_gb (GB, lower; reference): GPU memory in use = GPU memory in use
  watch for: Includes what the allocator holds back, so a full card need not be in trouble; watch
    the peak that was allocated.
  related: system/gpu_memory_percent, system/gpu_memory_total_gb
system/gpu_memory_total_gb (GB, neutral; reference): GPU memory installed = GPU memory installed
  related: system/gpu_memory_used_gb
system/gpu_memory_percent (percent, lower; reference): GPU memory use = GPU memory in use
  watch for: Close to 100 leaves no room for a longer batch than any before.
  related: length/response_max, balance/seqlen_max
  not the same as: system/memory_percent
system/gpu_memory_allocated_gb (GB, lower): Peak memory in tensors = Peak memory allocated by the
    framework's allocator
  watch for: What the model really needs. Creeping up step by step: tensors that keep their graph
    alive.
  related: system/gpu_memory_reserved_gb, length/total_max
  not the same as: system/gpu_memory_reserved_gb
system/gpu_memory_reserved_gb (GB, lower): Memory held by the allocator = Peak memory reserved by
    the framework's allocator
  watch for: Far above what is allocated: fragmentation, typical of lengths that vary a lot.
  related: system/gpu_memory_allocated_gb
  not the same as: system/gpu_memory_allocated_gb
system/gpu_power_w (W, neutral): GPU power = GPU power draw
  watch for: A better sign of real work than utilisation: a card at full utilisation and low power
    is waiting on memory or communication.
  related: system/gpu_utilization_percent, throughput/mfu
system/gpu_temperature_c (C, lower): GPU temperature = GPU temperature
  watch for: A card that throttles slows every other rank. Look for one that is hotter than its
    neighbours.
  related: system/gpu_power_w, throughput/tokens_per_s_per_device
system/gpu_memory_active_gb (GB, lower) = Peak memory active in the framework's allocator
system/disk_used_gb (GB, lower) = Disk space in use
system/disk_free_gb (GB, higher): Free disk space = Disk space free
  watch for: Checkpoints fill disks. A save that fails half-way can cost the last good state.
  related: time/checkpoint_s
system/disk_free_ratio (ratio, higher) = Share of disk space free

# How far the run is
progress/step (step, neutral): Trainer step = Trainer step counter (one optimisation round or
    optimiser step, as the framework counts it)
  watch for: The x axis of most charts. Tools count different things: an optimisation round, an
    optimiser step, an episode. Never compare two tools by step; compare by environment steps,
    tokens or wall time.
  related: progress/env_steps, progress/optimizer_steps
progress/optimizer_steps (step, neutral): Optimiser steps = Cumulative optimiser steps (parameter
    updates)
  watch for: The counter to compare learning rates and schedules by; not the same as logging steps
    or environment steps.
  related: progress/step, progress/update_rounds
  not the same as: progress/step, progress/env_steps
progress/env_steps (step, neutral): Environment steps = Cumulative environment steps (transitions)
    collected
  watch for: The fair x axis for reinforcement learning: how much experience the learner has paid
    for. Some tools count frames with frame skip, others agent decisions.
  related: throughput/env_steps_per_s
progress/episodes (episode, neutral) = Cumulative episodes or completed rollouts
progress/samples (sample, neutral) = Cumulative training samples consumed
progress/tokens (token, neutral): Tokens trained = Cumulative training tokens consumed
  watch for: The fairest axis for comparing language-model runs with different batch sizes.
  related: throughput/tokens_per_s
  not the same as: data/tokens_per_step
progress/epoch (epoch, neutral): Epoch = Passes over the data set (may be fractional)
  watch for: In fine-tuning, losses often drop in a stair at each new epoch: that is memorising and
    not sudden insight.
  related: progress/fraction, eval/loss
progress/fraction (ratio, neutral) = Share of the planned run that is done
progress/weight_version (version, neutral): Policy weight version = Version counter of the policy
    weights
  related: async/staleness_mean
progress/total_steps (step, neutral) = Planned number of steps
progress/time_fraction (ratio, neutral) = Share of the planned time that is gone
progress/update_rounds (round, neutral) = Cumulative update rounds in the framework's own unit
    (optimisation epochs for SB3 PPO, update calls for A2C); not comparable with optimiser steps
progress/env_steps_per_iteration (step, neutral) = Environment steps collected in the reporting
    window
progress/agent_steps (step, neutral) = Cumulative agent steps (differs from environment steps with
    several agents)
progress/chunks (chunk, neutral; guide): Finished work chunks = Work chunks finished, as a resumable
    run counts them
  watch for: After an interruption, check that this continues from where it stopped and that the
    newest checkpoint belongs to it.
  related: progress/requests, progress/fraction
progress/requests (request, neutral; guide): Requests served = Requests (environment jobs) served
    since the start
  watch for: Tells whether a resumed run really continued.
  related: progress/chunks

# Feedback controllers that steer the run
control/pressure (ratio, neutral; guide): Load pressure = Smoothed load that a controller reacts to
    (label signal: qps, latency)
  watch for: Correlate it with latency spikes and with the temperature: high pressure should
    suppress exploration, and release it again.
  related: policy/temperature, control/pulse_active
control/pulse_active (flag, neutral; guide): Exploration pulse = 1 while a controller deliberately
    raises exploration for a short time
  watch for: Pulses should coincide with stagnation of the reward. Constant pulsing means that the
    controller never gets what it waits for.
  related: policy/temperature, reward/trend
control/emergency (flag, lower): Entropy emergency = 1 while a controller raises the entropy bonus,
    since entropy fell below its floor
  watch for: An emergency that does not end: the bonus cannot hold the entropy up.
  related: policy/entropy, policy/entropy_coef
control/interventions (count, neutral): Interventions so far = How often a controller has stepped in
    so far
  related: control/emergency, control/since_intervention
control/since_intervention (update, neutral): Updates since the last intervention = Updates since a
    controller last stepped in
  related: control/interventions
control/service_change (unit, neutral): Change of the service = Change of the service from one
    decision to the next (label of: throughput, latency)
  related: reward/component_mean
"""
