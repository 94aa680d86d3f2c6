"""What can go wrong, and where to read why: return codes, the recent error message, the thread's last error."""

import acl

CONTEXT_NULL, INVALID_PARAM, INVALID_DEVICE, RT_PARAM_INVALID = 107002, 100000, 107001, 107000


class AclError(Exception):
    pass


def check(result):
    """The values of a call; AclError when its ret, which comes last, is not 0."""
    *values, ret = result if isinstance(result, tuple) else (result,)
    if ret != 0:
        raise AclError(ret, acl.get_recent_err_msg())
    return values[0] if len(values) == 1 else tuple(values)


def expect(ret, call, *args):
    try:
        check(call(*args))
    except AclError as error:
        if error.args[0] != ret:
            raise
        print(f'{call.__name__}{args}: {ret}')
        print('   ', (error.args[1] or 'no message').strip().splitlines()[0])
    else:
        raise AssertionError(f'{call.__name__} succeeded')


def main():
    check(acl.init())
    expect(CONTEXT_NULL, acl.rt.malloc, 64, 0)  # no device is set yet
    expect(INVALID_DEVICE, acl.rt.set_device, 99)
    check(acl.rt.set_device(0))
    expect(INVALID_PARAM, acl.rt.malloc, 0, 0)
    try:
        acl.rt.malloc('64', 0)
    except TypeError as error:
        print(error)
    pointer = check(acl.rt.malloc(64, 0))
    check(acl.rt.free(pointer))
    expect(RT_PARAM_INVALID, acl.rt.free, pointer)
    assert acl.rt.peek_at_last_error(0) == RT_PARAM_INVALID
    assert acl.rt.get_last_error(0) == RT_PARAM_INVALID  # and it is forgotten
    assert acl.rt.get_last_error(0) == 0
    assert acl.get_recent_err_msg() is None
    check(acl.rt.reset_device(0))
    check(acl.finalize())


if __name__ == '__main__':
    main()
