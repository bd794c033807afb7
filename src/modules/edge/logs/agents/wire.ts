/**
 * Reads protobuf messages from strangers with `pbf`, which checks no bounds: a length beyond
 * the end of its message and a field with an unexpected wire type are refused here.
 */
import { PbfReader } from 'pbf'
import { type AppError, invalidRequest } from '../../../../platform/http/errors.ts'

/** Reads a field, if it knows the number, by one of the readers below. Other fields are skipped. */
export type ReadField = (field: number, reader: PbfReader) => void

const VARINT = 0
const FIXED64 = 1
const BYTES = 2

/** @throws AppError 400 naming the body when the bytes are not a protobuf message */
export function readProtobuf(bytes: Uint8Array, readField: ReadField): void {
  const reader = new PbfReader(bytes)
  try {
    readFields(reader, bytes.length, readField)
  } catch (error) {
    // The reader fails with errors of many kinds; refusals of ours say what is wrong.
    if (error instanceof MalformedError || !isRefusal(error)) throw malformed()
    throw error
  }
}

export function readMessage(reader: PbfReader, readField: ReadField): void {
  const end = endOf(reader)
  readFields(reader, end, readField)
}

export function readText(reader: PbfReader): string {
  const end = endOf(reader)
  const { buf, pos } = reader
  reader.pos = end
  return Buffer.from(buf.buffer, buf.byteOffset + pos, end - pos).toString('utf8')
}

export function readBytes(reader: PbfReader): Buffer {
  const end = endOf(reader)
  const { buf, pos } = reader
  reader.pos = end
  return Buffer.from(buf.buffer, buf.byteOffset + pos, end - pos)
}

/** The generated readers of `pbf` round integers beyond 2^53. */
export function readInt64(reader: PbfReader): bigint {
  expectType(reader, VARINT)
  let value = 0n
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.buf[reader.pos]
    if (byte === undefined) throw new MalformedError()
    reader.pos += 1
    value |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return BigInt.asIntN(64, value)
  }
  throw new MalformedError()
}

export function readInt32(reader: PbfReader): number {
  return Number(BigInt.asIntN(32, readInt64(reader)))
}

export function readFixed64(reader: PbfReader): bigint {
  expectType(reader, FIXED64)
  const value = reader.dataView.getBigUint64(reader.pos, true)
  reader.pos += 8
  return value
}

export function readDouble(reader: PbfReader): number {
  expectType(reader, FIXED64)
  return reader.readDouble()
}

class MalformedError extends Error {}

const malformed = (): AppError =>
  invalidRequest('body', 'The request body is not a valid protobuf message')

const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'status' in error && error.status === 400

function readFields(reader: PbfReader, end: number, readField: ReadField): void {
  for (let field = reader.nextField(end); field !== 0; field = reader.nextField(end)) {
    readField(field, reader)
    if (reader.pos > end) throw new MalformedError()
  }
  if (reader.pos !== end) throw new MalformedError()
}

/** @returns the end of a field with a length, which begins at the position of the reader */
function endOf(reader: PbfReader): number {
  expectType(reader, BYTES)
  const length = reader.readVarint()
  const end = reader.pos + length
  if (!(end <= reader.length)) throw new MalformedError()
  return end
}

function expectType({ type }: PbfReader, expected: number): void {
  if (type !== expected) throw new MalformedError()
}
