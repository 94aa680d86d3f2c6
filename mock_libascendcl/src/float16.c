/* Half-precision numbers as bits, and the sizes of data types. */
#include <string.h>

#include "acl/acl_base.h"
#include "base.h"
#include "call.h"

#define HALF_BIAS 15
#define FLOAT_BIAS 127

static float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

float aclFloat16ToFloat(aclFloat16 value)
{
    API_OR(0.0f, value);
    uint32_t sign = (uint32_t)(value & 0x8000u) << 16;
    uint32_t exponent = (value >> 10) & 0x1fu;
    uint32_t fraction = value & 0x3ffu;
    if (exponent == 0x1f) {
        return float_of_bits(sign | 0x7f800000u | fraction << 13);
    }
    if (exponent == 0) { /* 0 and subnormal numbers: fraction * 2^-24 */
        float magnitude = (float)fraction * 0x1p-24f;
        return sign != 0 ? -magnitude : magnitude;
    }
    return float_of_bits(sign | (exponent + FLOAT_BIAS - HALF_BIAS) << 23 | fraction << 13);
}

/* value >> shift, rounded to the nearest, ties to even. */
static uint32_t shift_rounded(uint32_t value, uint32_t shift)
{
    uint32_t half = 1u << (shift - 1);
    uint32_t rest = value & (2 * half - 1);
    uint32_t result = value >> shift;
    return result + (rest > half || (rest == half && (result & 1u)));
}

aclFloat16 aclFloatToFloat16(float value)
{
    API_OR(0, (uint32_t)value);
    uint32_t bits = bits_of_float(value);
    uint32_t sign = bits >> 16 & 0x8000u;
    uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) { /* not a number: stay one even when only low bits say so */
        return (aclFloat16)(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
    }
    if (magnitude >= 0x47800000u) { /* 65536 and more */
        return (aclFloat16)(sign | 0x7c00u);
    }
    if (magnitude >= 0x38800000u) { /* a carry out of the fraction goes where it should: into the exponent */
        return (aclFloat16)(sign | shift_rounded(magnitude - ((uint32_t)(FLOAT_BIAS - HALF_BIAS) << 23), 13));
    }
    if (magnitude < 0x33000000u) { /* below half the smallest number */
        return (aclFloat16)sign;
    }
    uint32_t shift = 126u - (magnitude >> 23); /* so that the result counts in 2^-24 */
    return (aclFloat16)(sign | shift_rounded((magnitude & 0x7fffffu) | 0x800000u, shift));
}

size_t aclDataTypeSize(aclDataType dataType)
{
    API_OR(0, dataType);
    switch (dataType) {
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_BOOL:
    case ACL_HIFLOAT8:
    case ACL_FLOAT8_E5M2:
    case ACL_FLOAT8_E4M3FN:
    case ACL_FLOAT8_E8M0:
        return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16:
        return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_COMPLEX32:
        return 4;
    case ACL_DOUBLE:
    case ACL_INT64:
    case ACL_UINT64:
    case ACL_COMPLEX64:
        return 8;
    case ACL_COMPLEX128:
        return 16;
    default:
        return 0;
    }
}
