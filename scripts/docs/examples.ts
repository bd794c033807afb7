/**
 * Extracts the examples of the documents, so that the tests can run them: fenced blocks, shell commands
 * and curl requests. CONTRIBUTING.md describes the conventions.
 */
import { isObject } from '../../src/platform/is-object.ts'

export type Block = { info: string; text: string; line: number }

/** An example with its expected output, which is undefined when the document shows none. */
export type Example = {
  kind: 'request' | 'command'
  command: string
  expected: string | undefined
  line: number
}

export type CurlRequest = {
  method: string
  url: string
  headers: Record<string, string>
  body: string | undefined
  /** File that the response is written to instead of being printed. */
  file: string | undefined
}

export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = []
  let open: { info: string; lines: string[]; line: number } | undefined
  for (const [index, line] of markdown.split('\n').entries()) {
    const fence = /^\s*```(.*)$/.exec(line)
    if (!fence) open?.lines.push(line)
    else if (open) {
      blocks.push({ info: open.info, text: open.lines.join('\n'), line: open.line })
      open = undefined
    } else open = { info: (fence[1] ?? '').trim(), lines: [], line: index + 1 }
  }
  return blocks
}

/** `sh request` and `sh command` blocks, each with the `… answer` block that follows it, if any. */
export function examplesOf(markdown: string): Example[] {
  const blocks = blocksOf(markdown)
  return blocks.flatMap(({ info, text, line }, index) => {
    const [, kind] = /^sh (request|command)$/.exec(info) ?? []
    if (kind !== 'request' && kind !== 'command') return []
    const next = blocks[index + 1]
    const expected = next?.info.endsWith(' answer') ? next.text : undefined
    return [{ kind, command: text.trim(), expected, line }]
  })
}

/**
 * Whether the example is repeated until it prints its expected output. Reads of devices and of push are,
 * because phones react with a delay.
 */
export const isPolled = ({ kind, command }: Example): boolean =>
  kind === 'request' &&
  /^curl -s "http:\/\/127\.0\.0\.1:8080\/(?:v1\/mdm|console\/api\/push)\//.test(command) &&
  !/ -[dX] /.test(command)

/** All commands of the shell blocks, without comments and with continued lines joined. */
export const commandsOf = (markdown: string): string[] =>
  blocksOf(markdown)
    .filter(({ info }) => /^sh\b/.test(info))
    .flatMap(({ text }) => text.replaceAll(/\\\n\s*/g, ' ').split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

const WORD = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\\n|([^\s'"\\]+)|(\s+)/y

/**
 * Splits a command into words as a shell does: quotes, `$NAME` outside single quotes, continued lines.
 *
 * @throws Error for any other syntax and for an undefined variable
 */
export function shellWords(text: string, variables: Readonly<Record<string, string>>): string[] {
  const words: string[] = []
  let word: string | undefined
  WORD.lastIndex = 0
  while (WORD.lastIndex < text.length) {
    const at = WORD.lastIndex
    const match = WORD.exec(text)
    if (!match) throw new Error(`Cannot be read as a shell command: ${text.slice(at)}`)
    const [whole, single, double, plain, space] = match
    if (space !== undefined || whole === '\\\n') {
      if (word !== undefined) words.push(word)
      word = undefined
      continue
    }
    const expandable = double?.replaceAll(/\\(.)/g, '$1') ?? plain
    word = (word ?? '') + (expandable === undefined ? single : expand(expandable, variables))
  }
  return word === undefined ? words : [...words, word]
}

const expand = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$([A-Z_]+)/g, (_, name: string) => {
    const value = variables[name]
    if (value === undefined) throw new Error(`$${name} is not defined`)
    return value
  })

/** @throws Error for options that no document uses */
export function curlRequest(words: readonly string[]): CurlRequest {
  if (words[0] !== 'curl') throw new Error('A request must be one curl command')
  const request: CurlRequest = {
    method: 'GET',
    url: '',
    headers: {},
    body: undefined,
    file: undefined,
  }
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index] ?? ''
    if (/^-[si]+$/.test(word)) continue
    if (!word.startsWith('-')) {
      request.url = word
      continue
    }
    index += 1
    const value = words[index] ?? ''
    if (word === '-X') request.method = value
    else if (word === '-d') request.body = value
    else if (word === '-o') request.file = value
    // The caller decides which authority is trusted.
    else if (word === '--cacert') continue
    else if (word === '-H') {
      const [, name = '', content = ''] = /^([^:]+):\s*(.*)$/.exec(value) ?? []
      request.headers[name.toLowerCase()] = content
    } else throw new Error(`Unsupported curl option ${word}`)
  }
  return request.body !== undefined && request.method === 'GET'
    ? { ...request, method: 'POST' }
    : request
}

const VARIABLES: Readonly<Record<string, RegExp>> = {
  CHECK_ID: /"check_id":"([^"]+)"/,
  ACCESS_TOKEN: /"access_token":"([^"]+)"/,
  WEBHOOK_ID: /"id":"([^"]+)","url":/,
  PORTAL_ID: /"id":"([^"]+)","mode":/,
  WEBHOOK_SECRET: /"secret":"([^"]+)"/,
  ALERT_ID: /"id":"([^"]+)","name":/,
  FINGERPRINT: /"fingerprint":"([^"]+)"/,
  SIGNUP_NAME: /"signup_url_name":"([^"]+)"/,
  SIGNUP_ID: /"signup_url_name":"signupUrls\/([^"]+)"/,
  ENTERPRISE_TOKEN: /enterpriseToken=([^"&]+)/,
  POLICY_ID: /"id":"([^"]+)","name":"[^"]*","description":/,
  TOKEN_ID: /"id":"([^"]+)","policy_id":"[^"]*","management_mode":/,
  TOKEN: /"token_value":"([^"]+)"/,
  PHONE_ID: /"id":"([^"]+)","brand":/,
  DEVICE_ID: /"id":"([^"]+)","name":(?:null|"[^"]*"),"state":/,
  GROUP_ID: /"id":"([^"]+)","name":"[^"]*","policy_id":/,
  APPLICATION_ID: /"id":"([^"]+)","type":"flutter"|Application (\S+) created/,
  CONFIGURATION_ID: /"id":"([^"]+)","android_package_name":/,
  SUBSCRIPTION_ID: /"id":"([^"]+)","token_registered_at":/,
  IDENTITY_TOKEN: /"identity_token":"([^"]+)"/,
  MESSAGE_ID: /"message_id":"([^"]+)","status":/,
  ANDROID_ID: /"id":"([^"]+)","project_id":/,
  ANDROID_TOKEN: /"package_name":"[^"]*","token":"([^"]+)"/,
  IPHONE_ID: /"id":"([^"]+)","bundle_id":/,
  IPHONE_TOKEN: /"bundle_id":"[^"]*","token":"([^"]+)"/,
  KEY_ID: /"key_id":"([A-Z0-9]{10})"/,
  TEAM_ID: /"team_id":"([A-Z0-9]{10})"/,
  PRIVATE_KEY: /"private_key":"([^"]+)"/,
}

const REST = '…'

/**
 * Removes from the printed value what the document omits: a member `"…": "…"` stands for all members of
 * an object that are not shown, a last element `"…"` for the rest of a list.
 */
export function withoutRest(printed: unknown, expected: unknown): unknown {
  if (Array.isArray(printed) && Array.isArray(expected)) {
    const isCut = expected.at(-1) === REST
    const shown = isCut ? printed.slice(0, expected.length - 1) : printed
    const reduced = shown.map((each, index) => withoutRest(each, expected[index]))
    return isCut ? [...reduced, REST] : reduced
  }
  if (!isObject(printed) || !isObject(expected)) return printed
  const isCut = expected[REST] === REST
  const shown = Object.entries(printed).filter(([name]) => !isCut || Object.hasOwn(expected, name))
  const reduced = shown.map(([name, value]) => [name, withoutRest(value, expected[name])])
  return { ...Object.fromEntries(reduced), ...(isCut && { [REST]: REST }) }
}

/** Values of a response that later commands refer to as variables. */
export const variablesIn = (response: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(VARIABLES).flatMap(([name, pattern]) => {
      const [, ...groups] = pattern.exec(response) ?? []
      const value = groups.find((group) => group !== undefined)
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** Replaces values that differ on each run by placeholders. */
export const withPlaceholders = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<instant>')
    .replaceAll(/\b\d+ days ago\b/g, '<age>')
    .replaceAll(/\b([sp]k_(?:live|test)_)[0-9A-Za-z]+/g, '$1<key>')
    .replaceAll(/\bwhsec_[0-9A-Za-z]+/g, 'whsec_<secret>')
    .replaceAll(/\bvps_[\w-]{43}/g, 'vps_<secret>')
    .replaceAll(/"latency_ms": ?\d+/g, '"latency_ms":0')
    .replaceAll(/\bC[0-9a-f]{16}\b/g, 'C<sign-up>')
    .replaceAll(/\bEE[0-9a-z]{40}\b/g, 'EE<token>')
    .replaceAll(/\bLC\d\d[0-9a-z]{6}\b/g, 'LC<enterprise>')
    .replaceAll(/\b[A-Z]{20}\b/g, '<token>')
    .replaceAll(/\beyJ[^"]+/g, '<assertion>')
    .replaceAll(/\bmessages\/[0-9a-f:%]+/g, 'messages/<id>')
    .replaceAll(/\b[0-9a-f]{40}\b/g, '<key>')
