"""A user's own network as a descriptor: any ONNX file, or a scripted torch model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rankscope.core.arrays import FloatArray
from rankscope.core.caching import import_extra
from rankscope.core.errors import SettingError
from rankscope.core.wording import setting_usage
from rankscope.engines.images.descriptors import Descriptor
from rankscope.engines.images.image import Image, luminance, shrunk

USUAL_SIDE = 224
USUAL_MEAN, USUAL_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet, for colours from 0 to 1
TORCH_SUFFIXES = (".pt", ".pth", ".torchscript")


@dataclass(frozen=True)
class InputForm:
    """What a network wants to be fed: channels first or last, how many, the side in pixels, and the type."""

    channels_first: bool = True
    channels: int = 3
    side: int | None = None
    type: str = "float32"

    @classmethod
    def of(cls, shape: list[Any], type: str, file: str) -> InputForm:
        """From the shape a model declares; names stand for sides that are free.

        >>> InputForm.of(["batch", 224, 224, 3], "float32", "net.onnx")
        InputForm(channels_first=False, channels=3, side=224, type='float32')
        """
        known = [each if isinstance(each, int) and each > 0 else None for each in shape]
        wanted = "A model for pictures takes (1, 3, side, side) or (1, side, side, 3), or 1 for 3 where it sees grey."
        if len(known) != 4 or known[0] not in (None, 1):
            raise SettingError(f"{file}: its input has the shape {shape}. {wanted}")
        for first, channels, sides in ((True, known[1], known[2:]), (False, known[3], known[1:3])):
            if channels in (1, 3) and sides[0] == sides[1]:
                return cls(first, channels, sides[0], type)
        raise SettingError(f"{file}: its input has the shape {shape}. {wanted}")


@dataclass(frozen=True)
class NetworkDescriptor(Descriptor):
    """The answer of a network to a picture: its first output, averaged over places or tokens if it has any.

    The middle of the picture is shrunk to a square (`fit` crop; stretch squeezes the whole), scaled to 0..1, less
    `mean`, over `std`, channel by channel; a network that wants bytes gets bytes. Vectors are compared by cosine.
    """

    name: ClassVar[str] = "model"
    source: ClassVar[str] = "the user's own"
    distance: ClassVar[str] = "cosine"
    choices: ClassVar = {"fit": ("crop", "stretch")}

    file: str
    side: int = 0  # 0: as the model says, else 224
    mean: tuple[float, ...] = USUAL_MEAN
    std: tuple[float, ...] = USUAL_STD
    fit: str = "crop"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, values in (("mean", self.mean), ("std", self.std)):
            if len(values) not in (1, 3) or not np.isfinite(values).all():
                raise SettingError(f"{name} must be one number or three, got {values}")
        if not all(value > 0 for value in self.std):
            raise SettingError(f"std must be above 0, got {self.std}")
        if self.side < 0:
            raise SettingError(f"side must be at least 1, got {self.side}")

    @cached_property
    def size(self) -> int:
        return int(self.of(Image.of([[0]])).size)

    def of(self, image: Image) -> FloatArray:
        network = load_model(self.file)
        answer = np.asarray(network.answer(self._fed(image, network.form)), dtype=np.float64)
        if answer.ndim == 4:  # places
            answer = answer.mean(axis=(2, 3)) if network.form.channels_first else answer.mean(axis=(1, 2))
        if answer.ndim == 3:  # tokens
            answer = answer.mean(axis=1)
        if not np.isfinite(answer).all():
            both = f"{setting_usage('mean')} and {setting_usage('std')}"
            raise SettingError(f"{Path(self.file).name} gives values that are not finite; check {both}")
        return answer.ravel()

    def _fed(self, image: Image, form: InputForm) -> NDArray[Any]:
        side = self._side(form)
        rgb = image.rgb
        if self.fit == "crop":  # the largest square in the middle
            shortest = min(rgb.shape[:2])
            top, left = ((length - shortest) // 2 for length in rgb.shape[:2])
            rgb = rgb[top : top + shortest, left : left + shortest]
        values: NDArray[Any] = shrunk(rgb, side, side)
        if form.channels == 1:
            values = luminance(values)[..., None]
        if form.type == "uint8":
            values = np.rint(values)
        else:
            values = (values / 255 - self._channels(self.mean, form)) / self._channels(self.std, form)
        batch = values.transpose(2, 0, 1) if form.channels_first else values
        return np.ascontiguousarray(batch[None], dtype=form.type)

    def _side(self, form: InputForm) -> int:
        if self.side and form.side and self.side != form.side:
            raise SettingError(f"{Path(self.file).name} takes pictures of side {form.side}, not {self.side}")
        return form.side or self.side or USUAL_SIDE

    @staticmethod
    def _channels(values: tuple[float, ...], form: InputForm) -> FloatArray:
        """One value a channel; a network that sees grey gets their mean."""
        given = np.array(values)
        return given.mean(keepdims=True) if form.channels == 1 else given

    def __str__(self) -> str:
        return f"model({Path(self.file).name},fit={self.fit})"


class Network(ABC):
    """A loaded model."""

    form: InputForm

    @abstractmethod
    def answer(self, batch: NDArray[Any]) -> Any:
        """Its first output."""


@lru_cache(maxsize=2)
def load_model(file: str) -> Network:
    """The model in a file, kept for the next picture."""
    if not Path(file).is_file():
        raise SettingError(f"no model file {file}")
    kind = _Torch if Path(file).suffix.lower() in TORCH_SUFFIXES else _Onnx
    return kind(file)


class _Onnx(Network):
    def __init__(self, file: str) -> None:
        onnx = import_extra("onnxruntime", "onnxruntime", "onnx")
        options = onnx.SessionOptions()
        options.intra_op_num_threads = 1  # pictures are worked on side by side
        options.log_severity_level = 3
        name = Path(file).name
        try:
            self.session = onnx.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has a class of its own for each way a file may be wrong
            raise SettingError(f"{name} is no ONNX model that can be run: {str(error).splitlines()[0]}") from None
        inputs = self.session.get_inputs()
        if len(inputs) != 1:
            names = ", ".join(each.name for each in inputs)
            raise SettingError(f"{name} takes {len(inputs)} inputs ({names}); a model for pictures takes one")
        types = {"tensor(float)": "float32", "tensor(float16)": "float16", "tensor(uint8)": "uint8"}
        if inputs[0].type not in types:
            raise SettingError(f"{name} takes {inputs[0].type}; expected one of {', '.join(types)}")
        self.input = inputs[0].name
        self.form = InputForm.of(inputs[0].shape, types[inputs[0].type], name)

    def answer(self, batch: NDArray[Any]) -> Any:
        return self.session.run(None, {self.input: batch})[0]


class _Torch(Network):
    def __init__(self, file: str) -> None:
        self.torch = import_extra("torch", "torch", "gpu")
        try:
            self.module = self.torch.jit.load(file, map_location="cpu").eval()
        except RuntimeError as error:
            reason = str(error).splitlines()[0]
            raise SettingError(f"{Path(file).name} is no scripted torch model: {reason}") from None
        self.form = InputForm()

    def answer(self, batch: NDArray[Any]) -> Any:
        with self.torch.inference_mode():
            found = self.module(self.torch.from_numpy(batch))
        return (found[0] if isinstance(found, tuple | list) else found).numpy()
