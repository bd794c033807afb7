/**
 * The file format of compiled look-up data: a small JSON header followed by named sections of
 * bytes, each aligned to eight bytes so that a typed array can view the file's buffer directly.
 */
import { readFileSync } from 'node:fs'
import { OperatorError } from '../operator-error.ts'

const MAGIC = 'LISTS001'
const PREAMBLE_BYTES = 16
const ALIGNMENT = 8

export type Sections = Readonly<Record<string, Uint8Array>>

type Header = readonly { readonly name: string; readonly offset: number; readonly bytes: number }[]

export function packSections(sections: Sections): Uint8Array {
  const entries = Object.entries(sections)
  const layout: { name: string; offset: number; bytes: number }[] = []
  let offset = 0
  for (const [name, content] of entries) {
    layout.push({ name, offset, bytes: content.byteLength })
    offset = aligned(offset + content.byteLength)
  }
  const header = Buffer.from(JSON.stringify(layout))
  const start = aligned(PREAMBLE_BYTES + header.byteLength)
  const file = Buffer.alloc(start + offset)
  file.write(MAGIC, 0, 'latin1')
  file.writeUInt32LE(header.byteLength, MAGIC.length)
  file.writeUInt32LE(file.byteLength, MAGIC.length + 4)
  header.copy(file, PREAMBLE_BYTES)
  for (const [index, place] of layout.entries()) {
    file.set(entries[index]?.[1] ?? [], start + place.offset)
  }
  return file
}

/** @throws Error when the bytes are not a complete file of this format */
export function unpackSections(file: Uint8Array): Sections {
  const view = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  const isWhole =
    view.byteLength >= PREAMBLE_BYTES &&
    view.toString('latin1', 0, MAGIC.length) === MAGIC &&
    view.readUInt32LE(MAGIC.length + 4) === view.byteLength
  if (!isWhole) throw new Error('not a complete file of look-up data')
  const headerBytes = view.readUInt32LE(MAGIC.length)
  const text = view.toString('utf8', PREAMBLE_BYTES, PREAMBLE_BYTES + headerBytes)
  const header = JSON.parse(text) as Header
  const start = aligned(PREAMBLE_BYTES + headerBytes)
  return Object.fromEntries(
    header.map(({ name, offset, bytes }) => [
      name,
      view.subarray(start + offset, start + offset + bytes),
    ]),
  )
}

/** @throws OperatorError naming the command that rebuilds a missing or damaged file */
export function readSections(path: string): Sections {
  try {
    return unpackSections(readFileSync(path))
  } catch (cause) {
    throw new OperatorError(
      `The reference data file ${path} is missing or damaged; run "npm run build" to create it.`,
      { cause },
    )
  }
}

/** @throws OperatorError when an older build lacks the section */
export function sectionOf(sections: Sections, name: string): Uint8Array {
  const section = sections[name]
  if (section === undefined) {
    throw new OperatorError(
      `The reference data has no section "${name}"; run "npm run build" to rebuild it.`,
    )
  }
  return section
}

export function asUint32(section: Uint8Array): Uint32Array {
  const { buffer, byteOffset, byteLength } = alignedCopy(section)
  return new Uint32Array(buffer, byteOffset, byteLength / Uint32Array.BYTES_PER_ELEMENT)
}

export function asUint16(section: Uint8Array): Uint16Array {
  const { buffer, byteOffset, byteLength } = alignedCopy(section)
  return new Uint16Array(buffer, byteOffset, byteLength / Uint16Array.BYTES_PER_ELEMENT)
}

export function asFloat64(section: Uint8Array): Float64Array {
  const { buffer, byteOffset, byteLength } = alignedCopy(section)
  return new Float64Array(buffer, byteOffset, byteLength / Float64Array.BYTES_PER_ELEMENT)
}

export function bytesOf(array: Uint32Array | Uint16Array | Float64Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

/** A small file may start at an unaligned offset of a shared buffer, which typed arrays reject. */
function alignedCopy(section: Uint8Array): Uint8Array {
  return section.byteOffset % ALIGNMENT === 0 ? section : section.slice()
}

function aligned(offset: number): number {
  return Math.ceil(offset / ALIGNMENT) * ALIGNMENT
}
