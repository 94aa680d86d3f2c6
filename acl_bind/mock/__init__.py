"""What only the mock can do: run kernels in Python, fail on purpose, count, tell mistakes, record, start again.

    from acl_bind import mock

    with mock.fault('aclrtMalloc', 'ACL_ERROR_RT_MEMORY_ALLOCATION', nth=3):
        ...                                   # the third allocation fails
    with mock.trace() as trace:
        ...
    trace.save('out.json')                    # opens in Perfetto or chrome://tracing
    print(*mock.report(), sep='\\n')           # what ACL_MOCK_CHECK=warn found

    @mock.kernel('add_custom')                # runs the kernel of a genuine operator binary on the host
    def add(ctx):
        ...

Every function but those for kernels raises AclSymbolNotFoundError when the opened library is a real libascendcl.
"""

from ._checks import Diagnosis, checks, clear_report, leaks_since, mark, report
from ._faults import Rule, clear_faults, fault, fault_kernel, faults_left, hide, latency, latency_kernel
from ._kernels import Binding, KernelContext, KernelFault, bind, kernel
from ._state import hold, live, memory_limit, reset, set_version
from ._trace import Call, Task, Trace, trace

__all__ = [
    'Binding',
    'Call',
    'Diagnosis',
    'KernelContext',
    'KernelFault',
    'Rule',
    'Task',
    'Trace',
    'bind',
    'checks',
    'clear_faults',
    'clear_report',
    'fault',
    'fault_kernel',
    'faults_left',
    'hide',
    'hold',
    'kernel',
    'latency',
    'latency_kernel',
    'leaks_since',
    'live',
    'mark',
    'memory_limit',
    'report',
    'reset',
    'set_version',
    'trace',
]
