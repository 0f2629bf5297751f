# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""models.py [NAME ...]: PyTorch models compiled by TorchInductor with Kiln as Triton's compiler, run on the simulator and compared with eager PyTorch on the CPU.

Models have two layers of the real models' sizes, with random weights. Products use Triton's templates, so PyTorch itself handles only views and memory: a
kernel of PyTorch in a compiled model is an error.
"""
import re
import sys
import time

import torch
import torch._inductor.config as config
import torch._inductor.utils
from torch import nn

import kiln_triton

kiln_triton.enable(device="sim", inductor=True)
config.max_autotune_gemm = True
config.max_autotune_gemm_backends = config.max_autotune_conv_backends = "TRITON"
config.test_configs.max_mm_configs = 1
config.compile_threads = 1
config.fx_graph_cache = False

LAYERS = 2
MODELS = {}


def model(make):
    MODELS[make.__name__] = make
    return make


def tokens(vocabulary, length=32):
    return torch.randint(2, vocabulary, (1, length))


@model
def distilgpt2():
    from transformers import GPT2Config, GPT2LMHeadModel
    made = GPT2LMHeadModel(GPT2Config(n_layer=LAYERS, n_embd=768, n_head=12, use_cache=False, attn_implementation="eager"))
    ids = tokens(50257)
    return made, lambda run: run(ids).logits


@model
def t5_small():
    from transformers import T5Config, T5ForConditionalGeneration
    made = T5ForConditionalGeneration(T5Config(d_model=512, d_kv=64, d_ff=2048, num_layers=LAYERS, num_heads=8, vocab_size=32128, use_cache=False, decoder_start_token_id=0))
    ids, targets = tokens(32128), tokens(32128, 16)
    return made, lambda run: run(input_ids=ids, decoder_input_ids=targets).logits


@model
def camembert():
    from transformers import CamembertConfig, CamembertModel
    made = CamembertModel(CamembertConfig(vocab_size=32005, hidden_size=768, num_hidden_layers=LAYERS, num_attention_heads=12, intermediate_size=3072,
                                          max_position_embeddings=514, type_vocab_size=1, pad_token_id=1, attn_implementation="eager"))
    ids = tokens(32005)
    return made, lambda run: run(ids).last_hidden_state


@model
def clip_text():
    from transformers import CLIPTextConfig, CLIPTextModel
    made = CLIPTextModel(CLIPTextConfig(hidden_size=512, intermediate_size=2048, num_hidden_layers=LAYERS, num_attention_heads=8, attn_implementation="eager"))
    ids = tokens(49408, 16)
    return made, lambda run: run(ids).last_hidden_state


@model
def clip_image():
    from transformers import CLIPVisionConfig, CLIPVisionModel
    made = CLIPVisionModel(CLIPVisionConfig(hidden_size=768, intermediate_size=3072, num_hidden_layers=LAYERS, num_attention_heads=12, image_size=224, patch_size=32,
                                            attn_implementation="eager"))
    pixels = torch.randn(1, 3, 224, 224)
    return made, lambda run: run(pixels).pooler_output


class DiffusionBlock(nn.Module):
    """A block like Mochi's: modulated norms of a video's and a text's stream, attention over both, gated residuals, SwiGLU."""

    def __init__(self, video=1024, text=512, heads=8, pooled=256):
        super().__init__()
        self.heads, self.size = heads, video // heads
        self.modulate, self.modulate_text = nn.Linear(pooled, 4 * video), nn.Linear(pooled, 4 * text)
        self.qkv, self.qkv_text = nn.Linear(video, 3 * video, bias=False), nn.Linear(text, 3 * video, bias=False)
        self.out, self.out_text = nn.Linear(video, video), nn.Linear(video, text)
        self.up, self.down = nn.Linear(video, 2 * 2 * video, bias=False), nn.Linear(2 * video, video, bias=False)
        self.up_text, self.down_text = nn.Linear(text, 2 * 2 * text, bias=False), nn.Linear(2 * text, text, bias=False)

    @staticmethod
    def norm(x):
        return x * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-6).to(x.dtype)

    def attend(self, q, k, v):
        score = torch.softmax(q @ k.transpose(-1, -2) * self.size**-0.5, -1)
        return score @ v

    def feed(self, x, up, down):
        gate, value = up(x).chunk(2, -1)
        return down(nn.functional.silu(gate) * value)

    def forward(self, x, text, pooled, cosine, sine):
        batch, length, _ = x.shape
        scale, gate, scale_mlp, gate_mlp = self.modulate(nn.functional.silu(pooled))[:, None].chunk(4, -1)
        scale_t, gate_t, scale_mlp_t, gate_mlp_t = self.modulate_text(nn.functional.silu(pooled))[:, None].chunk(4, -1)
        split = lambda y: y.view(batch, -1, 3, self.heads, self.size).permute(2, 0, 3, 1, 4)
        q, k, v = split(self.qkv(self.norm(x) * (1 + scale)))
        qt, kt, vt = split(self.qkv_text(self.norm(text) * (1 + scale_t)))
        rotate = lambda y: torch.cat((y[..., ::2] * cosine - y[..., 1::2] * sine, y[..., ::2] * sine + y[..., 1::2] * cosine), -1)
        q, k = rotate(self.norm(q)), rotate(self.norm(k))
        qt, kt = self.norm(qt), self.norm(kt)
        both = self.attend(torch.cat((q, qt), 2), torch.cat((k, kt), 2), torch.cat((v, vt), 2)).transpose(1, 2).flatten(2)
        x = x + self.norm(self.out(both[:, :length])) * torch.tanh(gate)
        text = text + self.norm(self.out_text(both[:, length:])) * torch.tanh(gate_t)
        x = x + self.norm(self.feed(self.norm(x) * (1 + scale_mlp), self.up, self.down)) * torch.tanh(gate_mlp)
        text = text + self.norm(self.feed(self.norm(text) * (1 + scale_mlp_t), self.up_text, self.down_text)) * torch.tanh(gate_mlp_t)
        return torch.cat((x.flatten(1), text.flatten(1)), 1)


@model
def mochi_block():
    made = DiffusionBlock()
    angles = torch.rand(48, 64) * 6
    inputs = torch.randn(1, 48, 1024), torch.randn(1, 16, 512), torch.randn(1, 256), angles.cos(), angles.sin()
    return made, lambda run: run(*inputs)


class PairBlock(nn.Module):
    """A block like Chai-1's trunk: triangle products and triangle attention of pairs, transitions, and attention of single tokens with pairs as bias."""

    def __init__(self, pair=256, single=384, heads=4, size=32):
        super().__init__()
        self.heads, self.size = heads, size
        self.norms = nn.ModuleList(nn.LayerNorm(pair) for _ in range(5))
        self.mix = nn.ModuleList(nn.Linear(pair, 4 * pair) for _ in range(2))
        self.mixed = nn.ModuleList(nn.Sequential(nn.LayerNorm(pair), nn.Linear(pair, pair)) for _ in range(2))
        self.mix_gate = nn.ModuleList(nn.Linear(pair, pair) for _ in range(2))
        self.qkvg = nn.ModuleList(nn.Linear(pair, 4 * heads * size) for _ in range(2))
        self.bias = nn.ModuleList(nn.Linear(pair, heads, bias=False) for _ in range(2))
        self.back = nn.ModuleList(nn.Linear(heads * size, pair) for _ in range(2))
        self.up, self.down = nn.Linear(pair, 4 * pair), nn.Linear(2 * pair, pair)
        self.single_norm, self.single_qkvg = nn.LayerNorm(single), nn.Linear(single, 4 * heads * size)
        self.single_bias, self.single_back = nn.Linear(pair, heads, bias=False), nn.Linear(heads * size, single)

    def triangle(self, z, i):
        y = self.norms[i](z)
        a, b, ga, gb = self.mix[i](y).chunk(4, -1)
        a, b = a * torch.sigmoid(ga), b * torch.sigmoid(gb)
        product = torch.einsum("bikc,bjkc->bijc" if i == 0 else "bkic,bkjc->bijc", a, b)
        return self.mixed[i](product) * torch.sigmoid(self.mix_gate[i](y))

    def attend(self, qkvg, bias):
        q, k, v, g = (y.unflatten(-1, (self.heads, self.size)).transpose(-2, -3) for y in qkvg.chunk(4, -1))
        p = torch.softmax(q @ k.transpose(-1, -2) * self.size**-0.5 + bias, -1)
        return (p @ v * torch.sigmoid(g)).transpose(-2, -3).flatten(-2)

    def rows(self, z, i):
        y = self.norms[2 + i](z)
        return self.back[i](self.attend(self.qkvg[i](y), self.bias[i](y).permute(0, 3, 1, 2)[:, None]))

    def forward(self, z, s):
        for i in range(2):
            z = z + self.triangle(z, i)
        z = z + self.rows(z, 0)
        z = z + self.rows(z.transpose(1, 2), 1).transpose(1, 2)
        gate, value = self.up(self.norms[4](z)).chunk(2, -1)
        z = z + self.down(nn.functional.silu(gate) * value)
        s = s + self.single_back(self.attend(self.single_qkvg(self.single_norm(s)), self.single_bias(z).permute(0, 3, 1, 2)))
        return torch.cat((z.flatten(1), s.flatten(1)), 1)


@model
def pair_former():
    made = PairBlock()
    inputs = torch.randn(1, 24, 24, 256), torch.randn(1, 24, 384)
    return made, lambda run: run(*inputs)


def check(name):
    torch.manual_seed(1)
    made, call = MODELS[name]()
    made = made.eval()
    begin = time.time()
    with torch.no_grad(), torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        wanted = call(made)
        got, made_code = torch._inductor.utils.run_and_get_code(call, torch.compile(made))
    text = "\n".join(made_code)
    foreign = set(re.findall(r"extern_kernels\.\w+(?=\()|torch\.ops\.aten\.\w+\.\w+(?=\()", text))
    kernels = len(re.findall(r"^\s+triton_\w+\.run\(", text, re.M))
    error = ((got - wanted).norm() / wanted.norm()).item()
    print(f"{name}: {kernels} launches, relative error {error:.1e}, {time.time() - begin:.0f} s; PyTorch's own: {', '.join(sorted(foreign)) or 'none'}", flush=True)
    return kernels > 0 and not foreign and error < 1e-4


if not all([check(name) for name in sys.argv[1:] or MODELS]):
    sys.exit("models differ")
