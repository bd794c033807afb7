/**
 * Finds secrets and parts of them in text, even in hexadecimal or base64, escaped in JSON or
 * percent-encoded.
 */
import { sql } from 'kysely'
import type { Db } from '../../src/platform/postgres/db.ts'

export type Secret = { name: string; text: string }

/**
 * The shortest part of a secret that is found. It is long enough not to occur by chance in a long
 * text or in another key.
 */
const STRETCH = 10
const BASE64_STRETCH = 16
const HEX_STRETCH = 20
const ALIGNMENTS = [0, 1, 2]

/** @returns for each secret found, its name and the surrounding text */
export function createSearch(secrets: readonly Secret[]): (text: string) => string[] {
  const plainNames = new Map<string, string>()
  const base64Names = new Map<string, string>()
  const hexNames = new Map<string, string>()
  for (const { name, text } of secrets) {
    const bytes = Buffer.from(text, 'base64')
    for (const form of [...formsOf(text), ...base64Of(bytes)]) {
      addStretches(plainNames, form, STRETCH, name)
    }
    for (const form of base64Of(Buffer.from(text))) {
      addStretches(base64Names, form, BASE64_STRETCH, name)
    }
    for (const each of [Buffer.from(text), bytes]) {
      addStretches(hexNames, each.toString('hex'), HEX_STRETCH, name)
    }
  }
  return (text) => {
    const plain = unescaped(text)
    return [
      ...findStretches(plainNames, plain, STRETCH),
      ...findStretches(base64Names, plain, BASE64_STRETCH),
      ...findStretches(hexNames, plain.toLowerCase(), HEX_STRETCH),
    ]
  }
}

/**
 * The secret part of a private key in PEM (PKCS #8), without the armor, the public key and bytes that
 * all keys of this type share. It consists of whole groups of four characters, which are whole bytes.
 */
export function secretPartOf(pem: string): string {
  const body = pem.replaceAll(/-----[A-Z ]+-----|\s/g, '')
  const [, begin, length] = KINDS.find(([start]) => body.startsWith(start)) ?? ['', /^/]
  const { index, 0: found } = begin.exec(body) ?? { index: 0, 0: '' }
  const from = Math.ceil((index + found.length) / 4) * 4
  return body.slice(from, length === undefined ? undefined : from + length)
}

/** The start of a key's base64, the bytes before the secret part, and the length of that part. */
const KINDS: [start: string, begin: RegExp, length?: number][] = [
  // The public exponent, and the type and length of the private one, which is rarely shorter.
  ['MIIE', /AgMBAAECg.{3}/],
  ['MIGH', /^.{48}/, 40],
  ['MC4C', /^.{22}/],
]

/** Every row of every table, as text. */
export async function dumpDatabase(db: Db): Promise<Record<string, string>> {
  const { rows: tables } = await sql<{ name: string }>`
    select distinct table_name as name from information_schema.tables
    where table_schema = any(current_schemas(false)) and table_type = 'BASE TABLE' order by 1`.execute(
    db,
  )
  const dump: Record<string, string> = {}
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`
      select t::text as row from ${sql.table(name)} t`.execute(db)
    dump[name] = rows.map(({ row }) => row).join('\n')
  }
  return dump
}

/** The text in both alphabets of base64. */
const formsOf = (text: string): string[] => [
  text,
  text.replaceAll('+', '-').replaceAll('/', '_'),
  text.replaceAll('-', '+').replaceAll('_', '/'),
]

/** Encodings at each alignment, without the groups that depend on neighboring bytes. */
const base64Of = (bytes: Buffer): string[] =>
  ALIGNMENTS.flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    return formsOf(encoded.slice(4, -4))
  })

/** The text as one line without escapes, at any level of quoting. */
const unescaped = (text: string): string =>
  text
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    .replaceAll(/\\+[nrt]|\\|\s/g, '')

function addStretches(to: Map<string, string>, text: string, length: number, name: string): void {
  for (let at = 0; at + length <= text.length; at += 1) to.set(text.slice(at, at + length), name)
}

const AROUND = 60

function findStretches(names: Map<string, string>, text: string, length: number): string[] {
  const found = new Map<string, string>()
  for (let at = 0; at + length <= text.length; at += 1) {
    const name = names.get(text.slice(at, at + length))
    if (name !== undefined && !found.has(name)) {
      found.set(name, `${name}: …${text.slice(Math.max(0, at - AROUND), at + AROUND)}…`)
    }
  }
  return [...found.values()]
}
