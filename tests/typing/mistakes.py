"""What type checkers must refuse. Each line says which kind of error it is; a line that is accepted is an error too."""

import numpy as np

import acl_bind as ab


def mistakes(dev: ab.Device, stream: ab.Stream, kernel: ab.Kernel, buffer: ab.DeviceBuffer) -> None:
    ab.launch(stream, '8', kernel, buffer)  # type: ignore[arg-type]
    ab.launch(stream, 8, 'add_custom', buffer)  # type: ignore[arg-type]
    ab.LaunchConfig(num_blocks='8')  # type: ignore[arg-type]
    ab.LaunchConfig(8, blocks=3)  # type: ignore[call-arg]
    stream.sync(timeout='1')  # type: ignore[arg-type]
    stream.wait(3)  # type: ignore[arg-type]
    dev.empty('3', np.float32)  # type: ignore[arg-type]
    buffer.copy_from(np.zeros(3), stream=3)  # type: ignore[arg-type]
    dev.nothing()  # type: ignore[attr-defined]
    ab.nothing  # type: ignore[attr-defined]  # noqa: B018
    stream.record() - 3  # type: ignore[operator]
