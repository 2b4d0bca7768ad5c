"""TRL: GRPO teaches a tiny random model to say "a"; the same callback serves every TRL trainer."""

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed
from trl import GRPOConfig, GRPOTrainer

from runvitals.integrations.transformers import RunvitalsCallback

words = ["<pad>", "<end>", "<unk>", *"abcdefgh"]
inner = Tokenizer(models.WordLevel({w: i for i, w in enumerate(words)}, unk_token="<unk>"))
inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="<pad>", eos_token="<end>")
set_seed(0)
model = LlamaForCausalLM(
    LlamaConfig(
        vocab_size=len(words),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=None,
    )
)


def many_a(completions, **_):
    """The share of words that are "a"."""
    return [answer.split().count("a") / 8 for answer in completions]


trainer = GRPOTrainer(
    model=model,
    reward_funcs=many_a,
    args=GRPOConfig(
        "out",
        max_steps=30,
        learning_rate=1e-2,
        per_device_train_batch_size=16,
        num_generations=8,
        max_completion_length=8,
        logging_steps=1,
        log_completions=True,  # kept as samples of the run
        num_completions_to_print=0,
        save_strategy="no",
        use_cpu=True,
    ),
    train_dataset=Dataset.from_list([{"prompt": "b c d"}, {"prompt": "e f g"}] * 32),
    processing_class=tokenizer,
    callbacks=[RunvitalsCallback(stop_on="critical")],
)
trainer.train()
