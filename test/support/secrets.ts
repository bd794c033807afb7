/**
 * Finds secrets in text, also a few characters of one, and also as hexadecimal, in base64, escaped in JSON
 * or percent-encoded.
 */
import { sql } from 'kysely'
import type { Db } from '../../src/platform/postgres/db.ts'

export type Secret = { name: string; text: string }

/** So few characters of a secret are found; by chance, neither a long text nor another key has them. */
const STRETCH = 10
const BASE64_STRETCH = 16
const HEX_STRETCH = 20
const ALIGNMENTS = [0, 1, 2]

/** @returns for each secret that shows, its name and what stands around the place */
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
 * What only the holder of a private key in PEM (PKCS #8) knows of it: without its armour, its public half,
 * and what keys of this kind have in common. Whole groups of four, which are whole bytes.
 */
export function secretPartOf(pem: string): string {
  const body = pem.replaceAll(/-----[A-Z ]+-----|\s/g, '')
  const [, begin, length] = KINDS.find(([start]) => body.startsWith(start)) ?? ['', /^/]
  const { index, 0: found } = begin.exec(body) ?? { index: 0, 0: '' }
  const from = Math.ceil((index + found.length) / 4) * 4
  return body.slice(from, length === undefined ? undefined : from + length)
}

/** How they begin, what stands before what is secret, and how long that is. */
const KINDS: [start: string, begin: RegExp, length?: number][] = [
  // The public exponent, and how the private one begins.
  ['MIIE', /AgMBAAECgg../],
  ['MIGH', /^.{48}/, 40],
  ['MC4C', /^.{22}/],
]

/** Every row of every table, as text. */
export async function dumpDatabase(db: Db): Promise<Record<string, string>> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1`.execute(db)
  const dump: Record<string, string> = {}
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`
      select t::text as row from ${sql.table(name)} t`.execute(db)
    dump[name] = rows.map(({ row }) => row).join('\n')
  }
  return dump
}

/** In both alphabets of base64, in case it is some. */
const formsOf = (text: string): string[] => [
  text,
  text.replaceAll('+', '-').replaceAll('/', '_'),
  text.replaceAll('-', '+').replaceAll('_', '/'),
]

/** Wherever it stands in what was encoded; without what others contribute to. */
const base64Of = (bytes: Buffer): string[] =>
  ALIGNMENTS.flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    return formsOf(encoded.slice(4, -4))
  })

/** As one line without escapes, whoever quoted it how often. */
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
