"""Tuples of arrays by reference: kernels that call each other by address pass one word instead of hundreds.

``reference(t)`` keeps a named tuple in the frame of the calling kernel; its fields are read as those of the tuple itself, and named
tuples among them are references again. Arrays of a tuple stay where they are, so that the compiler may read their places once.
"""
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, models, register_model


class Reference(types.Type):
    """To a named tuple of type ``to``."""

    def __init__(self, to: Any) -> None:
        self.to = to
        super().__init__(name=f"Reference({to.name})")


register_model(Reference)(models.OpaqueModel)


def referred(kind: Any) -> Any:
    """What a field of this type is read as."""
    return Reference(kind) if isinstance(kind, types.BaseNamedTuple) else kind


@infer_getattr
class _Fields(AttributeTemplate):
    key = Reference

    def generic_resolve(self, value: Any, attribute: str) -> Any:
        fields = value.to.fields
        return referred(value.to[fields.index(attribute)]) if attribute in fields else None


def _constant(builder: Any, pointer: Any) -> Any:
    loaded = builder.load(pointer)
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


def _array(context: Any, builder: Any, kind: Any, pointer: Any) -> Any:
    """The array at a place: where its numbers are and how many; it owns nothing."""
    array, at = context.make_array(kind)(context, builder), context.make_array(kind)(context, builder, ref=pointer)
    array.data = _constant(builder, at._get_ptr_by_name("data"))
    array.nitems = _constant(builder, at._get_ptr_by_name("nitems"))
    array.itemsize = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    array.meminfo, array.parent = (cgutils.get_null_value(getattr(array, name).type) for name in ("meminfo", "parent"))
    for name in ("shape", "strides"):
        place = at._get_ptr_by_name(name)
        sizes = [_constant(builder, cgutils.gep_inbounds(builder, place, 0, k)) for k in range(kind.ndim)]
        setattr(array, name, cgutils.pack_array(builder, sizes))
    return array._getvalue()


@lower_getattr_generic(Reference)
def _field(context: Any, builder: Any, kind: Any, value: Any, attribute: str) -> Any:
    k = kind.to.fields.index(attribute)
    field = kind.to[k]
    base = builder.bitcast(value, context.get_value_type(kind.to).as_pointer())
    pointer = cgutils.gep_inbounds(builder, base, 0, k)
    if isinstance(field, types.BaseNamedTuple):
        return builder.bitcast(pointer, cgutils.voidptr_t)
    return _array(context, builder, field, pointer) if isinstance(field, types.Array) else builder.load(pointer)


@intrinsic
def _reference(typing_context: Any, t: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kept = builder.bitcast(cgutils.alloca_once_value(builder, args[0]), cgutils.voidptr_t)
        # hides where it is: what is read through a reference counts as known before this frame was made
        known = ir.FunctionType(cgutils.voidptr_t, [cgutils.voidptr_t])
        return builder.asm(known, "", "=r,0,~{memory}", [kept], True)
    return Reference(t)(t), codegen


reference = (lambda t: t) if numba.config.DISABLE_JIT else _reference


class Opaque(types.Type):
    """A reference to a tuple that a kernel passes on without looking into it, so that it is compiled once for all of them."""

    def __init__(self) -> None:
        super().__init__(name="Opaque")


register_model(Opaque)(models.OpaqueModel)
OPAQUE = Opaque()


@intrinsic
def _opaque(typing_context: Any, address: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], cgutils.voidptr_t)
    return OPAQUE(types.int64), codegen


@intrinsic
def _size(typing_context: Any, t: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.get_constant(types.int64, context.get_abi_sizeof(context.get_value_type(t)))
    return types.int64(t), codegen


@intrinsic
def _keep(typing_context: Any, t: Any, address: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[0], builder.inttoptr(args[1], args[0].type.as_pointer()))
        return context.get_dummy_value()
    return types.void(t, types.int64), codegen


opaque = (lambda kept: kept) if numba.config.DISABLE_JIT else _opaque
