"""What sets of words mean in any tool's log.

A line is `metric: phrase | phrase ...`, in the words of `parse.unified`; a metric that comes in
statistics is written without one. `phrase | phrase -> domain=metric; ...` says what phrases are in each
kind of training (`domain`), the first that fits; `*` is any other kind.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from runvitals.catalog.resolving.names import words

TABLE = """
outcome/return: episode reward | episode return | episode reward total | episode reward sum
  | episode return total | running reward | reward per episode | return per episode | undiscounted
  return
outcome/return_discounted: discounted return | episode discounted return
outcome/return_shaped: shaped reward | shaped return | reward shaped total | episode shaped reward
  | episode shaped return
outcome/episode_length: episode length | episode num step | episode step num | step per episode
  | trajectory length | path length | episode length per | full episode length | episode step total
  | episode step | episode total timestep
outcome/success_rate: success | success rate | is success | task success rate | task success
  | episode success | episode success rate | goal success rate | solve rate | solved | is solved
  | solved rate | success once | correct rate | correct fraction | correct answer rate | goal
  reached | goal reached rate | task completion rate | is correct | terminal correct | final
  correct | answer is correct | goal rate | completion rate | completed | catch rate | goal reach
  rate | pass rate | hard pass rate | soft pass rate | success end | mission success rate | solved
  fraction | success ratio | success fraction
outcome/win_rate: win rate | win | win fraction | is win | winrate | win ratio | victory rate
outcome/elo: elo | elo rating | rating
outcome/exploitability: exploitability | nash conv | nashconv | exploitability policy
outcome/collision_rate: collision rate | collision | crash rate | collided
outcome/distance_to_goal: distance goal | distance to goal | final distance goal
outcome/termination_rate: terminated rate | termination rate
outcome/episode_count: episode this iteration | num episode this iteration
policy/loss: policy grad loss | surrogate loss | surrogate | reinforce loss | policy surrogate
  loss | clip surrogate loss | policy gradient loss
policy/entropy_loss: entropy loss | entropy bonus | entropy regularization loss | entropy penalty
policy/entropy_coef: curr entropy coef | cur entropy coef | discrete entropy coef | continuous
  entropy coef | entropy coef | entropy coef policy | entropy weight | entropy bonus coef | alpha
  entropy | alpha value | alpha coef
policy/entropy_coef_loss: alpha loss | entropy coef loss | temperature loss
policy/entropy_target: target entropy
policy/approx_kl: ppo kl | policy ppo kl | approx kl | approx kl policy | kl approx divergence
  | kl old new
policy/kl_old: old approx kl
policy/kl_ref: kl reference | kl reference policy | kl divergence reference | kl to reference
policy/kl_coef: kl coef | kl beta | kl penalty coef | kl coef policy | adaptive kl coef | kl ctl
  | cur kl coef | curr kl coef
policy/clip_fraction: clip fraction | clip fraction policy | clip rate policy | ratio clip
  fraction | policy clip ratio | clip ratio region | ratio clip
policy/clip_fraction_low: clip fraction low | clip ratio low | clip low policy | clip ratio low
  policy
policy/clip_fraction_high: clip fraction high | clip fraction upper | clip ratio high | clip high
  policy | clip ratio high policy
policy/clip_fraction_dual: clip fraction dual
policy/clip_range: clip range | clip range policy | epsilon clip | clip param | eps clip | clip
  eps
policy/ratio: importance ratio | importance ratio policy | prob ratio | policy ratio | ratio new
  old | importance weight policy
policy/logprob: logprob | logprob policy | action logprob | new logprob
policy/logprob_ref: logprob reference
policy/grad_norm: policy grad norm | grad norm policy network
policy/learning_rate: policy learning rate | learning rate policy optimizer
policy/action_std: action std | policy std | policy noise std | noise action std | action noise
  std | policy standard std
policy/action: action mean | policy action | action taken
policy/temperature: sampling temperature
value/loss: value loss | value loss function | v loss | q loss | td loss | bellman loss | baseline
  loss | q function loss | value double loss | twin q loss | twin value loss | q policy loss value
  | td value loss | q network loss | value network loss
value/loss_unclipped: value loss unclipped
value/explained_variance: explained variance | explained variance value | explained variance
  function value | explained value | explained
value/clip_range: value clip range
value/clip_fraction: value clip fraction | value clip ratio
value/grad_norm: value grad norm | q grad norm | grad norm value network
value/learning_rate: value learning rate | q learning rate
value/q: q | q value | q prediction | q function | q vals | value q network | q function value
value/q_target: q target | target q value
value/td_error: td error | abs td error
value/error: value error | value prediction error
value/pred: value prediction | new value
value/: state value | value estimate | v value | v vals | vals v | old value
optim/learning_rate: learning rate | learning rate optimizer | base learning rate | cur learning
  rate | curr learning rate
optim/grad_norm: grad norm | global grad norm | total grad norm | optimizer grad norm | grad norm
  unclipped | grad norm before clip | grad norm pre clip | grad l2 norm | l2 grad norm
optim/param_norm: param norm | weight norm | global param norm
optim/weight_decay: weight decay
optim/skipped_updates: skipped update | skipped step | num skipped iteration | num skipped step
optim/nan_count: num nan iteration | num nan
optim/update_norm: update norm
optim/grad_clip_fraction: grad clip fraction
aux/loss: icm loss | rnd loss | curiosity loss | auxiliary loss | forward model loss | inverse
  model loss | symmetry loss
lm/loss: lm loss | language modeling loss | token loss | next token loss | loss per token | gpt
  loss | mlm loss | masked lm loss | clm loss | causal lm loss
lm/perplexity: perplexity
lm/token_accuracy: token accuracy | next token accuracy
lm/sequence_accuracy: sequence accuracy
lm/aux_loss: load balancing loss | moe loss | router loss | moe aux loss | load balance loss
rm/loss: rm loss | reward model loss
rm/accuracy: rm accuracy | reward model accuracy
preference/chosen_logprob: chosen logprob | chosen logprob policy
preference/rejected_logprob: rejected logprob | rejected logprob policy
preference/chosen_logits: chosen logits
preference/rejected_logits: rejected logits
advantage/: advantage | gae | gae advantage | advantage policy | advantage value
advantage/abs: advantage abs
advantage/positive_fraction: advantage positive fraction
reward/zero_std: fraction reward zero std | reward zero std | zero std fraction | zero std ratio
  | group zero std fraction
reward/group_std: group reward std | reward group std mean
reward/kl_penalty: kl reward | non score reward
reward/intrinsic: intrinsic reward | int reward | curiosity reward | rnd reward | exploration
  reward | icm reward | intrinsic return | episode curiosity reward | episode intrinsic reward
  | per in r
reward/extrinsic: extrinsic reward | ext reward | extrinsic return | per ex r
reward/: instantaneous reward | step reward mean | reward per step
length/response: response length | response token length | generation length | output length
  | generation token num | response num token | output num token | answer length | response token
  | output token | generation token per sample
length/response_nonaborted: response length non aborted
length/response_terminated: response length terminated
length/response_correct: response correct length | correct length | correct sequence length
length/response_incorrect: response incorrect length | incorrect length | incorrect sequence
  length
length/prompt: prompt length | input length | prompt num token | prompt token | prompt token
  length
length/response_clip: response clip ratio | truncated rate | response truncated | truncated ratio
  | truncated fraction | response truncated rate | length clip ratio | truncated | is truncated
  | no eos ratio | response length clip ratio
length/prompt_clip: prompt length clip ratio | prompt clip ratio | prompt truncated rate
length/total: total length token | total token per sample
length/stop: stop rate | eos rate
length/aborted: aborted ratio | response aborted ratio
length/repetition: repetition fraction | repetition rate | repetition ratio
agent/turns: num turn | turn | turn per sample | step per trajectory
agent/tool_calls: num call tool | tool call | call tool per sample
agent/tool_failure: tool failure rate | tool call failure rate
agent/invalid_tool_call: invalid tool call rate
explore/epsilon: epsilon greedy | exploration epsilon | exploration rate | exploration prob
  | epsilon greedy policy
explore/noise: exploration noise std | noise std | gaussian noise
mismatch/kl: rollout kl mismatch | mismatch kl | kl rollout train
mismatch/logprob_diff: logprob difference rollout abs | abs logprob difference | logprob
  difference sampling | logprob difference abs rollout policy | logprob difference abs rollout
  train | difference logprob vllm | logprob difference rollout
mismatch/prob_diff: prob difference rollout | abs prob difference
mismatch/is_weight: importance sampling ratio | importance sampling weight | rollout importance
  sampling | sampling importance ratio | importance sampling ratio rollout | importance sampling
  weight rollout
mismatch/effective_sample_size: ess | effective sample size | importance sampling ess | effective
  sample size eff
async/staleness: staleness | sample staleness | off policy staleness | policy age | version
  difference
async/queue_size: queue size | rollout queue size | queue rollout
async/trainer_idle: trainer idle ratio | train idle ratio | train idle fraction
async/rollout_idle: rollout idle ratio | rollout idle fraction
progress/weight_version: weight version | policy version | model version | version weight policy
throughput/env_steps_per_s: env step per s | frame per s | env step per s total
throughput/updates_per_s: update per s | iteration per s | it per s | grad step per s | optimizer
  step per s
throughput/samples_per_s: sample per s | example per s
throughput/samples_per_s_per_device: sample per s per device
throughput/tokens_per_s: token per s | token per s total
throughput/tokens_per_s_per_device: token per s per device | per device token s
throughput/generation_tokens_per_s: generation token per s | rollout token per s
throughput/generation_tokens_per_s_per_device: generation token per s per device | rollout token
  per s per device
throughput/episodes_per_s: episode per s
throughput/mfu: mfu | train mfu
throughput/mfu_value: mfu value
throughput/mbu: mbu
throughput/tflops_per_device: tflops | tflops per device
throughput/total_flops: total flos | total flops
data/padding_fraction: padding fraction | padding ratio
data/samples_per_step: num sequence | sample per step | num sample per step | batch size
data/tokens_per_step: token per step | num token per step | token per batch
data/prompts_per_step: num prompt | prompt per step | num group
data/groups_filtered: filtered group | group filtered | dropped group | filtered prompt
progress/epoch: epoch | epoch num | current epoch
progress/step: global step | train step | current step | iteration num | iteration | update
  iteration | train iteration | round | update
progress/optimizer_steps: optimizer step | grad step | num grad step | learner step | num grad
  update | num update | optimizer update
progress/agent_steps: agent step | num agent step
progress/env_steps: timestep so far | step so far | env interacts total | timestep | total
  timestep | num timestep | env step | env step total | frame | num env step | total frame
  | environment step | num frame | env frame | env step sampled num
progress/episodes: episode so far | episode | num episode | episode num | episode total | total
  num episode | episode idx | episode index | i episode | episode id
progress/samples: elapsed example | total example | num example | sample seen | consumed sample
  | example seen | sample total | num sample total
progress/tokens: elapsed token | token seen | consumed token | token total | num token total | num
  token | token processed | trained token | token
time/step: step time | time per step | iteration time | time per iteration | batch time | time per
  update | time per batch | step time total | time this iteration
time/elapsed: elapsed time | wall time | walltime | wall clock time | time since start | elapsed
  | runtime | uptime | time total | time
time/generation: generation time | rollout time | rollout time total | sample time | collection
  time | collect time | generation sequence time | time rollout generation | sampling time
  | generation step time
time/reward: reward time | time reward calculation | compute reward time | reward score time
time/advantage: advantage time | compute advantage time
time/ref_logprob: reference logprob time | reference time
time/old_logprob: old logprob time | recompute logprob time
time/value: value time | compute value time
time/policy_update: policy update time | policy train time | learn time | learning time | update
  time | policy train step time
time/value_update: value update time | value train time | value train step time
time/weight_sync: weight broadcast time | weight synch time | weight sync time | weight update
  time | sync time
time/checkpoint: checkpoint time
time/data: data time | data load time | dataloader time | data loading time | load time
time/forward: forward time
time/backward: backward time
time/optimizer: optimizer time | optimizer step time
time/training: train time | forward backward time
time/remaining: eta | remaining time
time/episode: episode time | episode duration | time per episode
time/env_step: env step time | env step duration
time/env_reset: env reset time
time/inference: inference time
time/wait: wait for batch time | wait time | waiting time
time/experience: make experience time | experience time
system/gpu_memory_allocated: vram allocated | device memory allocated | peak device memory
  allocated | memory allocated | max memory allocated | cuda memory allocated | peak memory
  allocated | memory alloc peak
system/gpu_memory_reserved: vram reserved | device memory reserved | memory reserved | max memory
  reserved | cuda memory reserved | peak memory reserved
system/gpu_memory_active: memory active peak | max memory active
system/gpu_memory_used: device memory | device memory used | vram | vram used
system/gpu_utilization_percent: device utilization
system/memory_used: cpu memory used | ram used | memory used
mse | rmse | mae | mean squared error | mean absolute error | l1 error | l2 error | root mean
  squared error | mape | wer | cer | ter | phoneme error rate | word error rate | character error
  rate | error | error rate | classification error | top error -> control=none; rl=none;
  llm-rl=none; *=supervised/error
g loss | generator loss | generation loss -> gan=aux/generator_loss
d loss | discriminator loss -> gan=aux/discriminator_loss; control=aux/loss; rl=aux/loss
loss | loss total | total objective loss | combined loss | batch loss | epoch loss -> gan=none;
  q-learning=value/loss; preference=preference/loss; reward-model=rm/loss; lm=lm/loss;
  *=optim/loss
huber loss | quantile loss | mse loss -> q-learning=value/loss; supervised=optim/loss
aux loss -> lm=lm/aux_loss; llm-rl=lm/aux_loss; preference=lm/aux_loss; reward-model=lm/aux_loss;
  control=aux/loss
replay buffer size | replay size | replay buffer length | replay memory size | buffer size ->
  control=replay/size; llm-rl=async/queue_size
sft loss -> preference=preference/nll_loss; lm=lm/loss
cross entropy | cross entropy loss | nll | nll loss -> preference=preference/nll_loss; lm=lm/loss;
  control=none; rl=none; llm-rl=none; *=optim/loss
policy loss | policy network loss -> actor=none; control=policy/loss; llm-rl=policy/loss;
  rl=policy/loss
reward | task reward -> llm-rl=reward/; return-elsewhere=reward/; by-episode=outcome/return;
  averaged=outcome/return; control=reward/; rl=reward/; reward-model=rm/score
proxy | proxy reward | proxy score -> proxied=reward/score
gold | true reward | true score | real reward | real score | actual reward | actual score ->
  proxied=eval/score
gold reward | gold score -> control=none; *=eval/score
norm -> supervised=optim/grad_norm; lm=optim/grad_norm
raw reward -> llm-rl=reward/score; control=reward/; rl=reward/
reward total | total reward batch | reward sum -> llm-rl=reward/; control=outcome/return;
  rl=outcome/return
env reward -> llm-rl=reward/score; control=outcome/return; rl=outcome/return
r | per r -> by-episode=outcome/return; control=outcome/return; rl=reward/
l -> by-episode=outcome/episode_length
a loss -> control=policy/loss; rl=policy/loss
c loss -> control=value/loss; rl=value/loss
mean -> unnamed-return=outcome/return
return | return total | true return -> llm-rl=returns/; control=outcome/return; rl=outcome/return
return target | lambda return | return value -> llm-rl=returns/; control=returns/
value | value policy -> llm-rl=value/; on-policy=value/
score | final score | game score | task score | score per episode | episode score | fitness
  | population fitness | score total | point | profit | pnl | net worth | portfolio value | sharpe
  | sharpe ratio | total profit -> llm-rl=reward/score; preference=none; *=outcome/score
rouge l | rouge lsum | bleu | rouge | chrf | meteor | bleu score | rouge score | sacrebleu
  | sacrebleu score | inception score | psnr | bertscore | bertscore f1 | cider | spice ->
  *=outcome/score
f1 | f1 score | macro f1 | micro f1 | weighted f1 | overall f1 | f1 macro score | f1 micro score
  | f1 weighted score | auc | roc auc | auroc | roc auc score | auc roc | auprc | pr auc | average
  precision | map | map50 | iou | miou | dice | dice score | dice coef | jaccard | mcc | matthews
  correlation | matthews corrcoef | spearman | spearmanr | pearson | pearsonr | kendall tau | r2
  | r2 score | ndcg | mrr | ssim | cohen kappa | kappa | quadratic weighted kappa | balanced
  accuracy | hit rate -> llm-rl=outcome/score; rl=outcome/score; control=none; *=supervised/score
bit per byte | bpb | bit per character | bpc | bit per char | bit per token -> llm-rl=none;
  control=none; rl=none; *=optim/loss
reconstruction | reconstruction loss | reconstruction error | contrastive loss | triplet loss
  | infonce loss | info nce loss | itc loss | itm loss | ctc loss | focal loss | dice loss
  | classification loss | regression loss -> control=aux/loss; rl=aux/loss; llm-rl=none;
  preference=none; reward-model=none; *=optim/loss
precision | recall -> supervised=supervised/score; lm=supervised/score
fid | lpips | chamfer distance -> control=none; rl=none; *=supervised/error
exact match | em | exact match accuracy -> llm-rl=outcome/success_rate; rl=outcome/success_rate;
  control=none; preference=none; reward-model=none; *=supervised/accuracy
answer accuracy | gold accuracy -> preference=preference/accuracy; reward-model=rm/accuracy;
  llm-rl=outcome/success_rate; rl=outcome/success_rate; control=none; *=supervised/accuracy
cosine similarity | cosine | cos | cos sim | cosine sim | cos similarity -> llm-rl=none; rl=none;
  control=none; preference=none; reward-model=none; *=supervised/score
accuracy | top | top accuracy | categorical accuracy | sparse categorical accuracy
  | binary accuracy | overall accuracy | accuracy score | classification accuracy | word
  accuracy | wacc | character accuracy | sentence accuracy -> preference=preference/accuracy;
  reward-model=rm/accuracy; llm-rl=outcome/success_rate; rl=outcome/success_rate; control=none;
  supervised=supervised/accuracy
reward accuracy -> preference=preference/accuracy; reward-model=rm/accuracy;
  llm-rl=outcome/success_rate; rl=outcome/success_rate
preference accuracy -> reward-model=rm/accuracy; *=preference/accuracy
response rate | task response rate -> control=outcome/success_rate; rl=outcome/success_rate
correct -> llm-rl=outcome/success_rate; rl=outcome/success_rate; control=outcome/success_rate;
  preference=none; reward-model=none; lm=none; supervised=supervised/accuracy;
  *=outcome/success_rate
chosen reward | chosen score | positive score -> preference=preference/chosen_reward;
  reward-model=rm/score_chosen
rejected reward | rejected score | negative score -> preference=preference/rejected_reward;
  reward-model=rm/score_rejected
margin | reward margin -> pairs=preference/margin; preference=preference/margin;
  reward-model=rm/margin
entropy | policy entropy | action entropy | entropy per token -> control=policy/entropy;
  llm-rl=policy/entropy; rl=policy/entropy; lm=lm/entropy
kl | kl divergence | kl policy | kl divergence policy -> distill=distill/kl; llm-rl=policy/kl_ref;
  control=policy/approx_kl; on-policy=policy/approx_kl
reverse kl -> distill=distill/kl
length -> control=outcome/episode_length; llm-rl=length/response
epsilon | eps | epsilon value -> exploring=explore/epsilon
alpha -> q-learning=none; off-policy=policy/entropy_coef
temperature -> llm-rl=policy/temperature
ratio -> on-policy=policy/ratio; llm-rl=policy/ratio
sequence length -> lm=length/total
step | step total | num step | num step total -> control=progress/env_steps; *=progress/step
noise -> off-policy=explore/noise; control=explore/noise
step per s -> control=throughput/env_steps_per_s; lm=throughput/updates_per_s;
  llm-rl=throughput/updates_per_s; preference=throughput/updates_per_s
best reward | best return | best episode reward -> control=outcome/return_best;
  rl=outcome/return_best
"""


@dataclass(frozen=True, slots=True)
class Concept:
    """A phrase, and the metric it is in each kind of training (`*` for every other one)."""

    phrase: frozenset[str]
    meanings: tuple[tuple[str, ...], ...]  # pairs


def _parsed(table: str) -> Iterator[Concept]:
    for line in table.replace("\n  ", " ").strip().splitlines():
        base, colon, phrases = line.partition(": ")
        meanings: tuple[tuple[str, ...], ...] = (("*", base),)
        if not colon:
            phrases, _, kinds = line.partition(" -> ")
            meanings = tuple(tuple(pair.split("=")) for pair in kinds.split("; "))
        yield from (Concept(words(phrase), meanings) for phrase in phrases.split(" | "))


def _indexed(concepts: tuple[Concept, ...]) -> dict[str, list[Concept]]:
    """Concepts by the rarest of their words, so that few have to be tried for a name."""
    counts: dict[str, int] = {}
    for concept in concepts:
        for word in concept.phrase:
            counts[word] = counts.get(word, 0) + 1
    found: dict[str, list[Concept]] = {}
    for concept in concepts:
        rarest = min(concept.phrase, key=lambda word: (counts[word], word))
        found.setdefault(rarest, []).append(concept)
    return found


_ALL = tuple(_parsed(TABLE))
CONCEPTS = _indexed(_ALL)
VOCABULARY = frozenset(word for concept in _ALL for word in concept.phrase)
