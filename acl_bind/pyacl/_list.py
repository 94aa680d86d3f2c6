"""Prints the list of docs/pyacl.md: python -m acl_bind.pyacl._list"""

from __future__ import annotations

from ._engine import ROWS, Row, has

# What works otherwise than in the original, and why. All of it is meant to be what a program can stand.
DIFFERS = {
    'acl.init': 'the first call succeeds also where objects of acl_bind use ACL already',
    'acl.finalize': "ends the program's use only, as long as objects of acl_bind use ACL",
    'acl.app_log': "the line names no place in pyACL's source",
    'acl.get_data_buffer_size': 'asks aclGetDataBufferSizeV2 and cuts to 32 bits, since aclGetDataBufferSize is deprecated',
    'acl.rt.get_device_info': 'all 64 bits; the original gives the low 32',
    'acl.rt.launch_callback': 'keeps nothing when the call fails; what a callback raises outside process_report is printed',
    'acl.rt.launch_kernel_with_host_args': "texts of what is refused are ours: the original's source was not seen",
    'acl.rt.set_exception_info_callback': 'a callback that raises is printed and stays; the original calls NULL the next time',
    'acl.rt.device_get_bare_tgid': '0 on failure; the original gives what is on the stack',
    'acl.util.numpy_to_ptr': 'works with numpy 2; under -W error the warning itself is raised',
    'acl.util.numpy_contiguous_to_ptr': 'works with numpy 2; under -W error the warning itself is raised',
    'acl.util.ptr_to_numpy': 'works with numpy 2; the view has a base; type number 17 (object) is refused',
    'acl.util.ptr_to_bytes': 'address 0 gives zeros; the original gives what is in the memory',
    'acl.util.start_thread': 'leaves SIGINT alone; the original makes Ctrl-C kill the process',
    'acl.util.stop_thread': 'an unknown thread gives ESRCH (3); the original crashes',
}


def state(row: Row) -> str:
    if not has(row):
        return f'raises NotImplementedError: {row.function} is not bound'
    why = DIFFERS.get(f'{row.module}.{row.name}')
    return f'differs: {why}' if why else 'works'


def lines() -> list[str]:
    found = ['| function | C function | |', '|---|---|---|']
    for module, rows in ROWS.items():
        for row in rows.values():
            function = '' if row.function == '-' else f'`{row.function}`'
            found.append(f'| `{module}.{row.name}` | {function} | {state(row)} |')
    return found


if __name__ == '__main__':
    print('\n'.join(lines()))
