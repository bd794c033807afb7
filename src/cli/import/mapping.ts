/** Turns the cells of a CSV file into a record, as a mapping file describes it. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Static, Type } from 'typebox'
import type { Validators } from '../../platform/http/validation.ts'
import { faultOf } from '../../platform/http/validation.ts'
import { reasonOf } from '../../platform/operator-error.ts'
import { createZoneOffsets } from '../../platform/zone-offsets.ts'
import { CommandError } from '../io.ts'

const DECIMALS_MAX = 4

/** Where the value of a member comes from. */
const source = Type.Union([
  Type.String({ minLength: 1 }),
  Type.Object({ value: Type.String() }, { additionalProperties: false }),
  Type.Object(
    {
      column: Type.String({ minLength: 1 }),
      /** Digits after the decimal point, which the value is multiplied away by: 2 for euros. */
      decimals: Type.Optional(Type.Integer({ minimum: 0, maximum: DECIMALS_MAX })),
      /** Translations of the words of the file. */
      values: Type.Optional(Type.Record(Type.String(), Type.String())),
      /** Zone of times without one. */
      time_zone: Type.Optional(Type.String()),
    },
    { additionalProperties: false },
  ),
])
const mappingSchema = Type.Object(
  {
    separator: Type.Optional(Type.String({ minLength: 1, maxLength: 1 })),
    members: Type.Record(Type.String(), source),
  },
  { additionalProperties: false },
)

export type Cells = Readonly<Record<string, string>>
export type MappedRecord = Record<string, string>

export type Mapping = {
  separator: string
  /** Columns that the file must have; undefined if its columns are the members. */
  columns: readonly string[] | undefined
  apply(cells: Cells): MappedRecord
}

/** Without a mapping file, the columns are named like the members. Empty cells are left out. */
export const PLAIN_MAPPING: Mapping = {
  separator: ',',
  columns: undefined,
  apply: (cells) => Object.fromEntries(Object.entries(cells).filter(([, cell]) => cell !== '')),
}

/** @throws CommandError */
export function readMapping(folder: string, file: string, validators: Validators): Mapping {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(resolve(folder, file), 'utf8'))
  } catch (cause) {
    throw new CommandError(`Cannot read the mapping ${file}: ${reasonOf(cause)}`, { cause })
  }
  const isMapping = validators.compileBody(mappingSchema)
  if (!isMapping(content)) {
    throw new CommandError(`${file}: ${faultOf(isMapping.errors, 'mapping').message}`)
  }
  return mappingOf(content as Static<typeof mappingSchema>)
}

type Source = Static<typeof source>

export function mappingOf({ separator = ',', members }: Static<typeof mappingSchema>): Mapping {
  const readers = Object.entries(members).map(([member, from]) => [member, readerOf(from)] as const)
  return {
    separator,
    columns: Object.values(members).flatMap((from) => columnOf(from) ?? []),
    apply: (cells) => {
      const record: MappedRecord = {}
      for (const [member, read] of readers) {
        const text = read(cells)
        if (text !== '') record[member] = text
      }
      return record
    },
  }
}

const columnOf = (from: Source): string | undefined =>
  typeof from === 'string' ? from : 'column' in from ? from.column : undefined

function readerOf(from: Source): (cells: Cells) => string {
  if (typeof from === 'string') return (cells) => cells[from] ?? ''
  if ('value' in from) return () => from.value
  const { column, decimals, values = {}, time_zone } = from
  const inZone = time_zone === undefined ? undefined : inZoneOf(time_zone)
  return (cells) => {
    const cell = cells[column] ?? ''
    if (Object.hasOwn(values, cell)) return values[cell] ?? ''
    if (decimals !== undefined) return withoutDecimals(cell, decimals)
    return inZone === undefined ? cell : inZone(cell)
  }
}

/** `49.9` and `49,9` with two decimals are 4990. What is no such number is refused as it is. */
function withoutDecimals(cell: string, decimals: number): string {
  const [, sign = '', whole = '', part = ''] = /^([+-]?)(\d+)(?:[.,](\d*))?$/.exec(cell) ?? []
  if (whole === '' || part.replace(/0+$/, '').length > decimals) return cell
  const digits = whole + part.slice(0, decimals).padEnd(decimals, '0')
  return `${sign === '-' ? '-' : ''}${digits.replace(/^0+(?=\d)/, '')}`
}

const LOCAL = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/

/** Appends the zone's offset to times without one. */
function inZoneOf(zone: string): (cell: string) => string {
  const offsetOf = offsetsOf(zone)
  return (cell) => {
    const [, day, time = ''] = LOCAL.exec(cell) ?? []
    if (day === undefined) return cell
    const seconds = time.length === 'HH:MM'.length ? ':00' : ''
    return `${day}T${time}${seconds}${offsetOf(`${day}T${time.slice(0, 5)}`)}`
  }
}

function offsetsOf(zone: string): (local: string) => string {
  try {
    return createZoneOffsets(zone)
  } catch (cause) {
    throw new CommandError(`The time zone ${zone} is unknown`, { cause })
  }
}
