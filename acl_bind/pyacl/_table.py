"""pyACL's functions, one a row: what the `acl` module has, and how each function takes and gives its values.

Columns: name, codes of the arguments, shape of the result, C function, and the text of the TypeError for arguments that
do not fit where it is not "NAME args parse failed" (`!`: the same with an exclamation mark).

Codes are PyArg_ParseTuple's: k K uint64, i int32, I uint32, l L int64, H uint16, f float, s string, O object; after `|` they
may be left out; `-` alone: arguments are ignored. Shapes: r the code, n None, u a number, f a float, s a string; `ur`: a tuple
of a number and the code, `x` for u a status that is 0xFFFF until it is known; o an object; `*`: made in _special.py.
"""

TABLES = {
    'acl': """
init |s * aclInit
finalize - * aclFinalize
get_version - uuur aclrtGetVersion
get_soc_name - s aclrtGetSocName
float16_to_float H f aclFloat16ToFloat
float_to_float16 f u aclFloatToFloat16
create_data_buffer kk u aclCreateDataBuffer
destroy_data_buffer k r aclDestroyDataBuffer
get_data_buffer_addr k u aclGetDataBufferAddr
get_data_buffer_size k * aclGetDataBufferSizeV2
get_data_buffer_size_v2 k u aclGetDataBufferSizeV2
update_data_buffer kkk r aclUpdateDataBuffer
data_type_size i u aclDataTypeSize
create_tensor_desc iOi u aclCreateTensorDesc
destroy_tensor_desc k n aclDestroyTensorDesc
get_tensor_desc_type k u aclGetTensorDescType
get_tensor_desc_format k u aclGetTensorDescFormat
get_tensor_desc_size k u aclGetTensorDescSize
get_tensor_desc_element_count k u aclGetTensorDescElementCount
get_tensor_desc_num_dims k u aclGetTensorDescNumDims
get_tensor_desc_dim kk u aclGetTensorDescDim
get_tensor_desc_name k s aclGetTensorDescName
set_tensor_desc_name ks n aclSetTensorDescName
trans_tensor_desc_format ki ur aclTransTensorDescFormat
app_log is * aclAppLog
set_tensor_storage_format ki r aclSetTensorStorageFormat !
set_tensor_storage_shape kO r aclSetTensorStorageShape !
set_tensor_format ki r aclSetTensorFormat !
set_tensor_shape kO r aclSetTensorShape !
set_tensor_origin_format ki r aclSetTensorOriginFormat !
set_tensor_dynamic_input ks r aclSetTensorDynamicInput !
set_tensor_origin_shape kO r aclSetTensorOriginShape !
set_tensor_shape_range kO r aclSetTensorShapeRange !
get_tensor_desc_address k u aclGetTensorDescAddress !
get_tensor_desc_by_index kk u aclGetTensorDescByIndex !
get_tensor_desc_dim_range kkk or aclGetTensorDescDimRange !
get_tensor_desc_dim_v2 kk ur aclGetTensorDescDimV2
set_tensor_place_ment ki r aclSetTensorPlaceMent
get_recent_err_msg - s aclGetRecentErrMsg
set_tensor_const kkk r aclSetTensorConst
set_tensor_value_range kO r aclSetTensorValueRange !
get_cann_attribute_list - our aclGetCannAttributeList
get_cann_attribute i ur aclGetCannAttribute
get_device_capability Ii ur aclGetDeviceCapability
get_cann_version I * aclsysGetCANNVersion
finalize_reference - ur aclFinalizeReference
get_version_str s sr aclsysGetVersionStr
""",
    'acl.rt': """
binary_load_from_file sO * aclrtBinaryLoadFromFile !
binary_load_from_data kkO * aclrtBinaryLoadFromData !
get_function_addr k uur aclrtGetFunctionAddr !
get_function_name kI * aclrtGetFunctionName !
register_cpu_func kss * aclrtRegisterCpuFunc !
create_binary kk u aclrtCreateBinary
destroy_binary k r aclrtDestroyBinary
binary_load k ur aclrtBinaryLoad
binary_unload k r aclrtBinaryUnLoad
binary_get_function ks ur aclrtBinaryGetFunction
launch_kernel kIkkk r aclrtLaunchKernel
kernel_args_init k ur aclrtKernelArgsInit
kernel_args_init_by_user_mem kkkk r aclrtKernelArgsInitByUserMem
kernel_args_get_mem_size kk ur aclrtKernelArgsGetMemSize
kernel_args_get_handle_mem_size k ur aclrtKernelArgsGetHandleMemSize
kernel_args_append kkk ur aclrtKernelArgsAppend
kernel_args_append_place_holder k ur aclrtKernelArgsAppendPlaceHolder
kernel_args_get_place_holder_buffer kkk ur aclrtKernelArgsGetPlaceHolderBuffer
kernel_args_para_update kkkk r aclrtKernelArgsParaUpdate
kernel_args_finalize k r aclrtKernelArgsFinalize
launch_kernel_with_config kIkOkk * aclrtLaunchKernelWithConfig
set_device i r aclrtSetDevice
reset_device i r aclrtResetDevice
reset_device_force i r aclrtResetDeviceForce
get_device - ur aclrtGetDevice
set_device_sat_mode i r aclrtSetDeviceSatMode
get_device_sat_mode - ur aclrtGetDeviceSatMode
get_run_mode - ur aclrtGetRunMode
set_ts_device i r aclrtSetTsDevice
get_device_count - ur aclrtGetDeviceCount
create_context i ur aclrtCreateContext
destroy_context k r aclrtDestroyContext
set_context k r aclrtSetCurrentContext
get_context - ur aclrtGetCurrentContext
ctx_get_current_default_stream - ur aclrtCtxGetCurrentDefaultStream
get_overflow_status kkk r aclrtGetOverflowStatus !
reset_overflow_status k r aclrtResetOverflowStatus !
malloc ki ur aclrtMalloc
free k r aclrtFree
get_mem_info i uur aclrtGetMemInfo
malloc_cached ki ur aclrtMallocCached
mem_flush kk r aclrtMemFlush
mem_invalidate kk r aclrtMemInvalidate
malloc_host k ur aclrtMallocHost
free_host k r aclrtFreeHost
memcpy kkkki r aclrtMemcpy
memcpy_async kkkkik r aclrtMemcpyAsync
memset kkik r aclrtMemset
memset_async kkikk r aclrtMemsetAsync
create_stream - ur aclrtCreateStream
create_stream_with_config ii ur aclrtCreateStreamWithConfig
destroy_stream k r aclrtDestroyStream
destroy_stream_force k r aclrtDestroyStreamForce
set_stream_overflow_switch kI r aclrtSetStreamOverflowSwitch
get_stream_overflow_switch k ur aclrtGetStreamOverflowSwitch
set_stream_failure_mode kI r aclrtSetStreamFailureMode !
stream_query k xr aclrtStreamQuery !
create_event - ur aclrtCreateEvent
create_event_with_flag I ur aclrtCreateEventWithFlag
create_event_ex_with_flag I ur aclrtCreateEventExWithFlag
destroy_event k r aclrtDestroyEvent
synchronize_stream k r aclrtSynchronizeStream
synchronize_stream_with_timeout ki r aclrtSynchronizeStreamWithTimeout
process_report i * aclrtProcessReport
subscribe_report Kk r aclrtSubscribeReport
unsubscribe_report Kk r aclrtUnSubscribeReport
launch_callback OOik * aclrtLaunchCallback
synchronize_device - r aclrtSynchronizeDevice
record_event kk r aclrtRecordEvent
reset_event kk r aclrtResetEvent
query_event k ur aclrtQueryEvent
query_event_status k ur aclrtQueryEventStatus
query_event_wait_status k ur aclrtQueryEventWaitStatus
synchronize_event k r aclrtSynchronizeEvent
synchronize_event_with_timeout ki r aclrtSynchronizeEventWithTimeout !
event_elapsed_time kk fr aclrtEventElapsedTime
event_get_timestamp k ur aclrtEventGetTimestamp
get_event_id k * aclrtGetEventId
get_event_avail_num - ur aclrtGetEventAvailNum
stream_wait_event kk r aclrtStreamWaitEvent
stream_get_id k ur aclrtStreamGetId
get_stream_available_num - ur aclrtGetStreamAvailableNum
set_stream_attribute kiO * aclrtSetStreamAttribute !
get_stream_attribute ki * aclrtGetStreamAttribute !
get_thread_last_task_id - ur aclrtGetThreadLastTaskId
reduce_async kkkiikk r aclrtReduceAsync
set_exception_info_callback |O * aclrtSetExceptionInfoCallback
get_error_code_from_exception_info k u aclrtGetErrorCodeFromExceptionInfo
get_task_id_from_exception_info k u aclrtGetTaskIdFromExceptionInfo
get_stream_id_from_exception_info k u aclrtGetStreamIdFromExceptionInfo
get_thread_id_from_exception_info k u aclrtGetThreadIdFromExceptionInfo
get_device_id_from_exception_info k u aclrtGetDeviceIdFromExceptionInfo
set_op_wait_timeout I r aclrtSetOpWaitTimeout !
set_op_execute_time_out I r aclrtSetOpExecuteTimeOut acl.rt.set_op_execute_timeout args parse failed!
memcpy2d kkkkkki r aclrtMemcpy2d
memcpy2d_async kkkkkkik r aclrtMemcpy2dAsync
reserve_mem_address kkkK ur aclrtReserveMemAddress
release_mem_address k r aclrtReleaseMemAddress
malloc_physical kOK * aclrtMallocPhysical
free_physical k r aclrtFreePhysical
malloc_with_cfg kiO * aclrtMallocWithCfg !
malloc_for_task_scheduler kiO ur aclrtMallocForTaskScheduler !
malloc_host_with_cfg kO ur aclrtMallocHostWithCfg
map_mem kkkkK r aclrtMapMem
unmap_mem k r aclrtUnmapMem
mem_export_to_shareable_handle kiK ur aclrtMemExportToShareableHandle
device_get_bare_tgid - ur aclrtDeviceGetBareTgid
mem_set_pid_to_shareable_handle KO r aclrtMemSetPidToShareableHandle
mem_import_from_shareable_handle Ki ur aclrtMemImportFromShareableHandle
mem_get_allocation_granularity Oi * aclrtMemGetAllocationGranularity
get_device_utilization_rate i * aclrtGetDeviceUtilizationRate
query_device_status i xr aclrtQueryDeviceStatus
ctx_set_sys_param_opt il r aclrtCtxSetSysParamOpt
ctx_get_sys_param_opt i ur aclrtCtxGetSysParamOpt
set_sys_param_opt il r aclrtSetSysParamOpt acl.rt.set_sys_param_opt args parse faild
get_sys_param_opt i ur aclrtGetSysParamOpt acl.rt.get_sys_param_opt args parse faild
malloc_align32 ki ur aclrtMallocAlign32
allocator_create_desc - u aclrtAllocatorCreateDesc
allocator_destroy_desc k r aclrtAllocatorDestroyDesc
allocator_set_obj_to_desc kk r aclrtAllocatorSetObjToDesc
allocator_set_alloc_func_to_desc kO r aclrtAllocatorSetAllocFuncToDesc
allocator_set_free_func_to_desc kO r aclrtAllocatorSetFreeFuncToDesc
allocator_set_alloc_advise_func_to_desc kO r aclrtAllocatorSetAllocAdviseFuncToDesc
allocator_set_get_addr_from_block_func_to_desc kO r aclrtAllocatorSetGetAddrFromBlockFuncToDesc
allocator_register kk r aclrtAllocatorRegister
allocator_unregister k r aclrtAllocatorUnregister
peek_at_last_error i r aclrtPeekAtLastError !
get_last_error i r aclrtGetLastError !
synchronize_device_with_timeout i r aclrtSynchronizeDeviceWithTimeout !
cmo_async kkik r aclrtCmoAsync !
device_task_abort iI r aclrtDeviceTaskAbort
memcpy_async_with_condition kkkkik r aclrtMemcpyAsyncWithCondition
stream_abort k r aclrtStreamAbort
pointer_get_attributes k * aclrtPointerGetAttributes
host_register kki ur aclrtHostRegister
host_unregister k r aclrtHostUnregister
get_memcpy_desc_size i ur aclrtGetMemcpyDescSize
set_memcpy_desc kikkkk ur aclrtSetMemcpyDesc
memcpy_async_with_desc kik r aclrtMemcpyAsyncWithDesc
value_write kkIk r aclrtValueWrite
value_wait kkIk r aclrtValueWait
device_can_access_peer ii ur aclrtDeviceCanAccessPeer
device_enable_peer_access iI r aclrtDeviceEnablePeerAccess
device_disable_peer_access i r aclrtDeviceDisablePeerAccess
ipc_mem_get_export_key kkkK sr aclrtIpcMemGetExportKey
ipc_mem_set_import_pid sO r aclrtIpcMemSetImportPid
ipc_mem_import_by_key sK ur aclrtIpcMemImportByKey
ipc_mem_close s r aclrtIpcMemClose
get_device_info II ur aclrtGetDeviceInfo
device_get_stream_priority_range - uur aclrtDeviceGetStreamPriorityRange
get_device_capability iI ur aclrtGetDeviceCapability
get_device_res_limit iI ur aclrtGetDeviceResLimit
set_device_res_limit iII r aclrtSetDeviceResLimit
reset_device_res_limit i r aclrtResetDeviceResLimit
get_devices_topo II ur aclrtGetDevicesTopo acl.rt.reset_device_res_limit args parse failed
create_notify K ur aclrtCreateNotify
destroy_notify k r aclrtDestroyNotify
record_notify kk r aclrtRecordNotify
wait_and_reset_notify kkL r aclrtWaitAndResetNotify
get_notify_id k ur aclrtGetNotifyId
notify_batch_reset O r aclrtNotifyBatchReset
notify_get_export_key kkK sr aclrtNotifyGetExportKey
notify_set_import_pid kO r aclrtNotifySetImportPid
notify_import_by_key sK ur aclrtNotifyImportByKey
get_stream_res_limit ki ur aclrtGetStreamResLimit acl.rt.get_stream_res_limit parse failed
set_stream_res_limit kiI r aclrtSetStreamResLimit acl.rt.set_stream_res_limit parse failed
reset_stream_res_limit k r aclrtResetStreamResLimit acl.rt.reset_stream_res_limit parse failed
use_stream_res_in_current_thread k r aclrtUseStreamResInCurrentThread acl.rt.use_stream_res_in_current_thread parse failed
unuse_stream_res_in_current_thread k r aclrtUnuseStreamResInCurrentThread acl.rt.unuse_stream_res_in_current_thread parse failed
get_res_in_current_thread i ur aclrtGetResInCurrentThread acl.rt.get_res_in_current_thread parse failed
get_primary_ctx_state i uur aclrtGetPrimaryCtxState
get_logic_dev_id_by_user_dev_id i ur aclrtGetLogicDevIdByUserDevId
get_user_dev_id_by_logic_dev_id i ur aclrtGetUserDevIdByLogicDevId
get_logic_dev_id_by_phy_dev_id i ur aclrtGetLogicDevIdByPhyDevId
get_phy_dev_id_by_logic_dev_id i ur aclrtGetPhyDevIdByLogicDevId
set_op_execute_timeout_v2 K ur aclrtSetOpExecuteTimeOutV2 !
get_op_timeout_interval - ur aclrtGetOpTimeOutInterval
get_op_execute_timeout - ur aclrtGetOpExecuteTimeout
device_get_uuid i or aclrtDeviceGetUuid
device_peer_access_status ii ur aclrtDevicePeerAccessStatus
host_register_v2 KKI r aclrtHostRegisterV2
host_get_device_pointer KI ur aclrtHostGetDevicePointer acl.rt.host_get_device_pointer parse failed
set_group I r aclrtSetGroup
get_group_count I ur aclrtGetGroupCount
create_group_info - u aclrtCreateGroupInfo
destroy_group_info k r aclrtDestroyGroupInfo
get_all_group_info k r aclrtGetAllGroupInfo
get_group_info_detail kii or aclrtGetGroupInfoDetail
get_mem_uce_info iI or aclrtGetMemUceInfo !
mem_uce_repair iO r aclrtMemUceRepair !
device_set_limit ik r aclrtDeviceSetLimit
device_get_limit i ur aclrtDeviceGetLimit
launch_kernel_with_host_args kIkOkkOk * aclrtLaunchKernelWithHostArgs
""",
    'acl.util': """
numpy_to_ptr O * -
numpy_contiguous_to_ptr O * -
ptr_to_numpy kOi * -
bytes_to_ptr O * -
ptr_to_bytes kk * -
start_thread OO * pthread_create
stop_thread K * pthread_join
""",
}

# The rest of the real module: names that may be asked for, with what they are.
OTHER_MODULES = {
    'mdl': 'offline models (.om files)',
    'media': 'the DVPP media interface',
    'op': 'single operators by name',
    'blas': 'the BLAS operators',
    'prof': 'profiling',
    'himpi': 'the HiMPI media interface',
    'fv': 'feature vector search',
}
