/**
 * Computes the group of an error: a pure function of the error and the version of this algorithm,
 * because fingerprints are stored, linked to and used in alert rules.
 */
import { hash } from 'node:crypto'
import { engineMessage } from './engine-message.ts'
import { messageTemplate } from './message-template.ts'
import { FRAMES_MAX, type Frame, type ParsedStack } from './stack/frame.ts'
import { readStack } from './stack/read-stack.ts'

export type ErrorFacts = {
  type?: string | undefined
  code?: string | undefined
  message: string
  stack?: string | undefined
}

export type ErrorGroup = {
  /** 32 lower-case hex characters; stable for one `GROUPING_VERSION`. */
  fingerprint: string
  /** Readable template of the message, for the list of groups. */
  title: string
  /** The facts that the fingerprint is computed from. */
  basis: 'stack' | 'type_code_message' | 'message'
}

/** Part of every fingerprint; must increase with every change that moves errors between groups. */
export const GROUPING_VERSION = 1

const RUNTIME_FRAMES_MAX = 3

/**
 * With named frames of the application, the fingerprint consists of type and frames, and the message
 * does not matter. With other frames it consists of type, code, message and the stable parts of the
 * frames; without frames, of type, code and message.
 */
export function groupError(facts: ErrorFacts): ErrorGroup {
  const stack = readStackOf(facts)
  const message = ownMessage(facts, stack)
  const type = shortType(typeOf(facts, stack) ?? message.type ?? '')
  const app = stack === undefined ? [] : framesToCount(stack.frames, true, FRAMES_MAX)
  if (app.some(({ name }) => name !== '')) {
    return {
      fingerprint: fingerprintOf(['stack', type, ...app.map(frameKey)]),
      // Most errors are only counted, and the template takes longer than the fingerprint.
      get title() {
        return titleOf(messageTemplate(message.text), type)
      },
      basis: 'stack',
    }
  }
  const template = messageTemplate(message.text)
  const title = titleOf(template, type)
  const code = facts.code?.trim() ?? ''
  const common = engineMessage(message.text)
  const commonTemplate = common === message.text ? template : messageTemplate(common)
  const weak = stack === undefined ? [] : weakFrames(app, stack.frames)
  const key = [type, code, commonTemplate, ...weak]
  if (weak.length > 0)
    return { fingerprint: fingerprintOf(['frames', ...key]), title, basis: 'stack' }
  const basis = type === '' && code === '' ? 'message' : 'type_code_message'
  return { fingerprint: fingerprintOf(['message', ...key]), title, basis }
}

const titleOf = (template: string, type: string): string =>
  template === '' ? type || 'No message' : template

const fingerprintOf = (parts: readonly string[]): string =>
  hash('sha256', `v${GROUPING_VERSION}\0${parts.join('\0')}`).slice(0, 32)

const frameKey = ({ place, name }: Frame): string => `${place.toLowerCase()}:${name}`

/** Reads the stack, which many loggers put into the message. */
function readStackOf({ stack, message }: ErrorFacts): ParsedStack | undefined {
  const text = stack === undefined || stack === '' ? message : stack
  if (text === message && !message.includes('\n')) return undefined
  const parsed = readStack(text)
  return parsed === undefined || parsed.frames.length === 0 ? undefined : parsed
}

/** Returns the first frames, each only once, because recursion can have any depth. */
function framesToCount(frames: readonly Frame[], isApp: boolean, limit: number): Frame[] {
  const counted: Frame[] = []
  for (const frame of frames) {
    if (frame.is_app !== isApp || (frame.place === '' && frame.name === '')) continue
    if (counted.some(({ place, name }) => place === frame.place && name === frame.name)) continue
    counted.push(frame)
    if (counted.length === limit) break
  }
  return counted
}

/** Returns the file in which a minified application threw, else the functions of the runtime. */
function weakFrames(app: readonly Frame[], frames: readonly Frame[]): string[] {
  const [first] = app
  if (first !== undefined) return [frameKey(first)]
  return framesToCount(frames, false, RUNTIME_FRAMES_MAX)
    .map(({ name }) => name)
    .filter((name) => name !== '')
}

function typeOf(facts: ErrorFacts, stack: ParsedStack | undefined): string | undefined {
  const sent = facts.type?.trim()
  if (stack?.is_cause === true) return stack.type ?? sent
  return sent === undefined || sent === '' ? stack?.type : sent
}

/** Shortens `java.io.IOException` to `IOException`, and `\App\Error` to `Error`. */
function shortType(type: string): string {
  if (type.includes(' ')) return type.slice(0, 300)
  const end = type.search(/[`<[]/)
  const own = end > 0 ? type.slice(0, end) : type
  return own
    .slice(Math.max(own.lastIndexOf('.'), own.lastIndexOf('\\'), own.lastIndexOf(':')) + 1)
    .slice(0, 300)
}

const PREFIXES = [
  'Uncaught ',
  '(in promise) ',
  'Unhandled Promise Rejection: ',
  'PHP Fatal error:  Uncaught ',
]

/** Returns the message without prefixes of reporters, and the type that it begins with. */
function ownMessage(
  facts: ErrorFacts,
  stack: ParsedStack | undefined,
): { text: string; type: string | undefined } {
  const isStackInside = stack !== undefined && facts.message.includes('\n') && !facts.stack
  let text = isStackInside ? (stack.message ?? facts.message) : facts.message.trim()
  if (text === '') text = stack?.message ?? ''
  for (const prefix of PREFIXES) if (text.startsWith(prefix)) text = text.slice(prefix.length)
  const colon = text.indexOf(': ')
  const before = colon > 0 && colon < 120 ? text.slice(0, colon) : ''
  const repeatsType = before !== '' && before === facts.type
  if (!repeatsType && (facts.type || !namesType(before))) return { text, type: undefined }
  return { text: text.slice(colon + 2), type: before }
}

const namesType = (text: string): boolean =>
  (text.endsWith('Error') || text.endsWith('Exception')) && /^[A-Z][A-Za-z]+$/.test(text)
