/** Reads configuration files, and writes an organization as one. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { Ajv, type ErrorObject } from 'ajv'
import { LineCounter, parseDocument, stringify } from 'yaml'
import { ITEM_KINDS } from '../../modules/configuration/index.ts'
import { reasonOf } from '../../platform/operator-error.ts'
import { CommandError } from '../io.ts'
import { documentSchema } from './document.ts'
import { type Content, type FileItem, type Item, keyOf } from './item.ts'
import { KINDS } from './kinds/index.ts'

const FILES_MAX = 1000
const FILE_MAX_BYTES = 20_000_000
/** Bounds the work of a document with aliases that multiply. */
const ALIASES_MAX = 100
const FILE_NAME = /\.ya?ml$/

/**
 * @param path a file, or a folder: all its `.yaml` files are read together, also those of its folders
 * @throws CommandError naming the file and the member, or both files that have an item
 */
export function readConfigurationFiles(workingFolder: string, path: string): FileItem[] {
  const root = resolve(workingFolder, path)
  const items = filesOf(root, path).flatMap((file) => readFile(file, relative(workingFolder, file)))
  const seen = new Map<string, string>()
  for (const item of items) {
    const before = seen.get(keyOf(item))
    if (before !== undefined) {
      const places =
        before === item.source ? `twice in ${before}` : `in ${before} and ${item.source}`
      throw new CommandError(`The ${KINDS[item.kind].noun} "${item.name}" is ${places}`)
    }
    seen.set(keyOf(item), item.source)
  }
  return inOrder(items)
}

const inOrder = <T extends Item>(items: readonly T[]): T[] =>
  ITEM_KINDS.flatMap((kind) => items.filter((item) => item.kind === kind))

function filesOf(root: string, path: string): string[] {
  try {
    if (!statSync(root).isDirectory()) return [root]
    const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => FILE_NAME.test(name))
      .sort()
      .map((name) => join(root, name))
    if (found.length === 0) throw new CommandError(`${path} has no .yaml files`)
    if (found.length > FILES_MAX) throw new CommandError(`${path} has more than ${FILES_MAX} files`)
    return found
  } catch (cause) {
    if (cause instanceof CommandError) throw cause
    throw new CommandError(`Cannot read ${path}: ${reasonOf(cause)}`, { cause })
  }
}

function readFile(file: string, shown: string): FileItem[] {
  if (statSync(file).size > FILE_MAX_BYTES) {
    throw new CommandError(`${shown} is larger than ${FILE_MAX_BYTES / 1e6} MB`)
  }
  return parseConfiguration(readFileSync(file, 'utf8'), shown)
}

const validate = () =>
  new Ajv({ strict: false, logger: false, validateFormats: false }).compile<Content>(documentSchema)
let compiled: ReturnType<typeof validate> | undefined

/** @param source name of the file for messages */
export function parseConfiguration(text: string, source: string): FileItem[] {
  const lines = new LineCounter()
  const parsed = parseDocument(text, { lineCounter: lines, uniqueKeys: true })
  const [fault] = parsed.errors
  if (fault) {
    const { line } = lines.linePos(fault.pos[0])
    throw new CommandError(`${source}:${line}: ${fault.message.split('\n', 1)[0] ?? 'not YAML'}`)
  }
  let document: unknown
  try {
    document = parsed.toJS({ maxAliasCount: ALIASES_MAX }) ?? {}
  } catch (cause) {
    throw new CommandError(`${source}: ${reasonOf(cause)}`, { cause })
  }
  compiled ??= validate()
  if (!compiled(document)) throw new CommandError(`${source}: ${faultText(compiled.errors?.[0])}`)
  return ITEM_KINDS.flatMap((kind) =>
    ((document as Record<string, Content[] | undefined>)[kind] ?? []).map((content) => {
      const normal = KINDS[kind].normalize(content)
      return { kind, name: KINDS[kind].nameOf(normal), content: normal, source }
    }),
  )
}

function faultText(error: ErrorObject | undefined): string {
  const path = error?.instancePath.slice(1).replaceAll('/', '.') ?? ''
  const { additionalProperty, allowedValues } = error?.params ?? {}
  const wanted =
    additionalProperty !== undefined
      ? `must not have the member ${String(additionalProperty)}`
      : Array.isArray(allowedValues)
        ? `must be one of ${allowedValues.join(', ')}`
        : (error?.message ?? 'is invalid')
  return `${path === '' ? 'the file' : path} ${wanted}`
}

/** The text of a file with these items, which reads as the same items. */
export function printConfiguration(items: readonly Item[]): string {
  const lists = ITEM_KINDS.flatMap((kind) => {
    const contents = items
      .filter((item) => item.kind === kind)
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ content }) => content)
    return contents.length === 0 ? [] : [[kind, contents]]
  })
  return stringify(Object.fromEntries(lists), { lineWidth: 0 })
}
