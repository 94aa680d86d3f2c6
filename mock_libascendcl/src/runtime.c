#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclmock/aclmock.h"
#include "args.h"
#include "bind.h"
#include "check.h"
#include "context.h"
#include "engine.h"
#include "error.h"
#include "event.h"
#include "exception.h"
#include "file.h"
#include "hostreg.h"
#include "inject.h"
#include "json.h"
#include "leak.h"
#include "memory.h"
#include "option.h"
#include "peer.h"
#include "reslimit.h"
#include "report.h"
#include "soc.h"
#include "stream.h"
#include "streamstate.h"
#include "trace.h"

#define CONFIG_DEPTH 10

static struct {
    pthread_mutex_t lock;
    uint64_t users;
    bool finalized; /* since the last aclInit; false at start, so that a finalize without init passes once */
    bool configured; /* whether `config` holds what the first successful aclInit read */
    struct text config;
} runtime = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- aclInit's file ----------------------------------------------------------------------------------- */

static aclError read_config(const char *path, struct text *content)
{
    struct text why = {0};
    size_t size = 0;
    char *real = file_real_path(path, &why);
    uint8_t *data = real != NULL ? file_read(real, &size, &why) : NULL;
    bool empty = data == NULL && strstr(text_get(&why), " is empty") != NULL; /* no configuration */
    if (data != NULL) {
        text_add(content, "%.*s", (int)size, (const char *)data);
    }
    host_free(data);
    host_free(real);
    aclError code = ACL_SUCCESS;
    if (data == NULL && !empty) {
        code = reject(ACL_ERROR_INVALID_FILE, "EH0003", "configPath: %s", text_get(&why));
    }
    text_free(&why);
    return code;
}

static aclError use_default_device(const struct json *section)
{
    const char *id = json_member_string(section, "default_device");
    if (section == NULL) {
        return ACL_SUCCESS;
    }
    bool decimal = id != NULL && id[0] != '\0';
    for (size_t i = 0; decimal && id[i] != '\0'; ++i) {
        decimal = isdigit((unsigned char)id[i]) && i < 9;
    }
    if (!decimal) {
        return reject(ACL_ERROR_FAILURE, "EH0009", "default_device is \"%s\", expected a decimal number in quotes",
                      id != NULL ? id : "no string");
    }
    if (!context_set_default_device(atoi(id))) {
        return fail(ACL_ERROR_RT_INVALID_DEVICEID, "EE1003", "default_device is %s, there are %u devices", id,
                    device_count());
    }
    return ACL_SUCCESS;
}

static aclError use_config(const struct text *content)
{
    struct text why = {0};
    if (content->length == 0) {
        return ACL_SUCCESS;
    }
    struct json *root = json_parse((const uint8_t *)content->data, content->length, &why);
    aclError code = ACL_SUCCESS;
    const char *mode = json_member_string(root, "err_msg_mode");
    if (root == NULL) {
        code = reject(ACL_ERROR_PARSE_FILE, "EH0004", "configPath: %s", text_get(&why));
    } else if (json_depth(root) > CONFIG_DEPTH) {
        code = reject(ACL_ERROR_PARSE_FILE, "EH0004", "configPath: nested deeper than %d", CONFIG_DEPTH);
    } else if (mode != NULL && strcmp(mode, "0") != 0 && strcmp(mode, "1") != 0) {
        code = reject(ACL_ERROR_INVALID_PARAM, "EH0009", "err_msg_mode is \"%s\", expected \"0\" or \"1\"", mode);
    } else {
        code = use_default_device(json_member(root, "defaultDevice"));
    }
    json_free(root);
    text_free(&why);
    return code;
}

/* ---- start and end ------------------------------------------------------------------------------------ */

/* With the lock. Takes the content. */
static aclError start(struct text *content)
{
    if (runtime.configured && strcmp(text_get(content), text_get(&runtime.config)) != 0) {
        return reject(ACL_ERROR_INVALID_PARAM, "EH0004",
                      "configPath has another content than in this process's first aclInit");
    }
    aclError code = use_config(content);
    if (code == ACL_SUCCESS) {
        text_free(&runtime.config);
        runtime.config = *content;
        *content = (struct text){0};
        runtime.configured = true;
        runtime.finalized = false;
        runtime.users = 1;
    }
    return code;
}

aclError aclInit(const char *configPath)
{
    API(configPath);
    struct text content = {0};
    pthread_mutex_lock(&runtime.lock);
    aclError code = ACL_SUCCESS;
    if (runtime.users > 0) {
        ++runtime.users;
        code = thread_call.result = ACL_ERROR_REPEAT_INITIALIZE; /* no message: many owners count on it */
    } else {
        code = configPath != NULL && configPath[0] != '\0' ? read_config(configPath, &content) : ACL_SUCCESS;
        code = code == ACL_SUCCESS ? start(&content) : code;
    }
    pthread_mutex_unlock(&runtime.lock);
    text_free(&content);
    return code;
}

/* With the lock. Devices, streams and binaries stay: whoever made them ends them. */
static void end(void)
{
    runtime.users = 0;
    runtime.finalized = true;
    context_set_default_device(-1);
}

static aclError finalized_already(void)
{
    return reject(ACL_ERROR_REPEAT_FINALIZE, "EH9999", "ACL is finalized already, or was not initialised");
}

aclError aclFinalize(void)
{
    API();
    pthread_mutex_lock(&runtime.lock);
    aclError code = runtime.finalized ? finalized_already() : ACL_SUCCESS;
    if (code == ACL_SUCCESS) {
        end();
    }
    pthread_mutex_unlock(&runtime.lock);
    if (check_on() && code == ACL_SUCCESS) {
        leak_report(0);
    }
    return code;
}

aclError aclFinalizeReference(uint64_t *refCount)
{
    API(refCount);
    pthread_mutex_lock(&runtime.lock);
    aclError code = runtime.users == 0 ? finalized_already() : ACL_SUCCESS;
    if (code == ACL_SUCCESS && --runtime.users == 0) {
        end();
    }
    if (refCount != NULL) {
        *refCount = runtime.users;
    }
    bool ended = code == ACL_SUCCESS && runtime.users == 0;
    pthread_mutex_unlock(&runtime.lock);
    if (check_on() && ended) {
        leak_report(0);
    }
    return code;
}

/* ---- questions ---------------------------------------------------------------------------------------- */

static _Atomic int32_t version[] = {ACL_MAJOR_VERSION, ACL_MINOR_VERSION, ACL_PATCH_VERSION};

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion)
{
    API(majorVersion, minorVersion, patchVersion);
    REQUIRE(majorVersion);
    REQUIRE(minorVersion);
    REQUIRE(patchVersion);
    *majorVersion = atomic_load(&version[0]);
    *minorVersion = atomic_load(&version[1]);
    *patchVersion = atomic_load(&version[2]);
    return ACL_SUCCESS;
}

const char *aclrtGetSocName(void)
{
    API_OR(NULL);
    return soc_current()->name;
}

/* ---- errors ------------------------------------------------------------------------------------------- */

static aclError check_level(aclrtLastErrLevel level)
{
    if (level == ACL_RT_THREAD_LEVEL) {
        return ACL_SUCCESS;
    }
    return reject(ACL_ERROR_INVALID_PARAM, "EH0007", "level is %d, expected %d", (int)level, ACL_RT_THREAD_LEVEL);
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level)
{
    API(level);
    aclError code = check_level(level);
    return code != ACL_SUCCESS ? code : error_last();
}

aclError aclrtGetLastError(aclrtLastErrLevel level)
{
    API(level);
    aclError code = check_level(level);
    if (code == ACL_SUCCESS) {
        code = error_last();
        error_store(ACL_SUCCESS);
    }
    return code;
}

#define RECENT_AT_MOST 65536

struct recent {
    struct thread_exit exit;
    struct text text; /* what the caller was given last */
};

static THREAD_LOCAL struct recent *recent;

static void leave_recent(struct thread_exit *node)
{
    struct recent *ended = CONTAINER(node, struct recent, exit);
    text_free(&ended->text);
    host_free(ended);
    recent = NULL;
}

static struct recent *recent_of_thread(void)
{
    if (recent == NULL && (recent = host_alloc(sizeof(*recent))) != NULL) {
        recent->exit.leave = leave_recent;
        thread_at_exit(&recent->exit);
    }
    return recent;
}

/* Without a context the real library's own question to the device fails, is added to the text and becomes the last
 * error, and what was returned before stays in the text. */
static const char *recent_text(bool context)
{
    struct recent *own = recent_of_thread();
    struct text text = {0};
    if (own == NULL) {
        return NULL;
    }
    error_take(&text, context);
    if (!context) {
        context_missing();
        error_take(&text, false);
        text_add(&text, "%.*s", RECENT_AT_MOST, text_get(&own->text));
    }
    text_free(&own->text);
    own->text = text;
    return text.length != 0 ? text.data : NULL;
}

const char *aclGetRecentErrMsg(void)
{
    API_OR(call_forked() ? recent_text(true) : NULL);
    return recent_text(context_current() != NULL);
}

/* ---- the mock's own face ------------------------------------------------------------------------------ */

void aclmock_set_version(int32_t major, int32_t minor, int32_t patch)
{
    atomic_store(&version[0], major);
    atomic_store(&version[1], minor);
    atomic_store(&version[2], patch);
}

static void runtime_reset(void)
{
    pthread_mutex_lock(&runtime.lock);
    text_free(&runtime.config);
    runtime.users = 0;
    runtime.finalized = runtime.configured = false;
    pthread_mutex_unlock(&runtime.lock);
    if (recent != NULL) {
        text_free(&recent->text);
    }
    aclmock_set_version(ACL_MAJOR_VERSION, ACL_MINOR_VERSION, ACL_PATCH_VERSION);
}

/* From the top down: what uses something ends before it. */
void aclmock_reset(void)
{
    if (call_forked()) { /* another thread of the parent may have had any of the locks */
        return;
    }
    aclmock_record_launches(0);
    aclmock_fail_host_alloc(-1);
    inject_reset();
    trace_reset();
    runtime_reset();
    context_reset(); /* with streams and what is queued on them */
    stream_reset();
    event_reset();
    report_reset();
    exception_reset();
    engine_reset();
    args_reset();
    binary_reset();
    bind_reset();
    memory_reset();
    streamstate_reset();
    hostreg_reset();
    peer_reset();
    reslimit_reset();
    option_reset();
    soc_forget();
    device_reset();
    error_reset();
    check_reset();
}

int aclmock_version(void)
{
    return ACLMOCK_VERSION;
}

size_t aclmock_live(aclmock_kind kind)
{
    static const enum handle_kind kinds[] = {
        [ACLMOCK_CONTEXTS] = HANDLE_CONTEXT,  [ACLMOCK_STREAMS] = HANDLE_STREAM,
        [ACLMOCK_EVENTS] = HANDLE_EVENT,      [ACLMOCK_BINARIES] = HANDLE_BINARY,
        [ACLMOCK_FUNCTIONS] = HANDLE_FUNCTION, [ACLMOCK_ARGS] = HANDLE_ARGS,
    };
    return kind == ACLMOCK_BLOCKS ? memory_live() : handle_count(kinds[kind]);
}
