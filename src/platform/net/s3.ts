/**
 * A bucket of an S3-compatible store: the four operations that backups need
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html).
 * Buckets are part of the path, which every such store understands.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { systemClock } from '../clock.ts'
import { OperatorError, reasonOf } from '../operator-error.ts'
import { readUpTo } from '../read-up-to.ts'
import { type Credentials, encodeName, signRequest } from './sigv4.ts'

export type S3Access = {
  /** Base URL; undefined for that of AWS in the region. */
  endpoint: string | undefined
  region: string
  access_key_id: string | undefined
  secret_access_key: string | undefined
}

export type S3Options = Credentials & {
  endpoint: string | undefined
  bucket: string
  /** Empty, or ends with a slash. */
  prefix: string
}

const DEADLINE_MS = 120_000
const ATTEMPTS = 5
const FIRST_DELAY_MS = 200
const RESPONSE_MAX_BYTES = 268_435_456
const NOT_FOUND = 404

type Reply = { status: number; body: Buffer }
type Send = (call: {
  method: 'GET' | 'PUT' | 'DELETE'
  path: string
  query?: Record<string, string>
  body?: Buffer
}) => Promise<Reply>

export function createS3Store(options: S3Options) {
  const { bucket, prefix } = options
  const send = createSender(options)
  const pathOf = (name: string) => `${prefix}${name}`.split('/').map(encodeName).join('/')
  const listPage = async (start: string, token: string | undefined) => {
    const query = {
      'list-type': '2',
      prefix: `${prefix}${start}`,
      ...(token !== undefined && { 'continuation-token': token }),
    }
    const { status, body } = await send({ method: 'GET', path: '', query })
    if (status === NOT_FOUND) throw new OperatorError(`The bucket ${bucket} does not exist.`)
    return readListing(body.toString('utf8'))
  }
  return {
    put: async (name: string, bytes: Buffer): Promise<void> => {
      const { status } = await send({ method: 'PUT', path: pathOf(name), body: bytes })
      if (status === NOT_FOUND) throw new OperatorError(`The bucket ${bucket} does not exist.`)
    },
    get: async (name: string): Promise<Buffer | undefined> => {
      const { status, body } = await send({ method: 'GET', path: pathOf(name) })
      return status === NOT_FOUND ? undefined : body
    },
    list: async (start: string): Promise<{ name: string; bytes: number }[]> => {
      const found: { name: string; bytes: number }[] = []
      let token: string | undefined
      do {
        const page = await listPage(start, token)
        for (const { name, bytes } of page.objects) {
          found.push({ name: name.slice(prefix.length), bytes })
        }
        token = page.next
      } while (token !== undefined)
      return found
    },
    remove: async (name: string): Promise<void> => {
      await send({ method: 'DELETE', path: pathOf(name) })
    },
  }
}

/** Repeats what failed for a reason that may pass. */
function createSender({ endpoint, bucket, ...credentials }: S3Options): Send {
  const base = endpoint ?? `https://s3.${credentials.region}.amazonaws.com`
  const root = `${base.replace(/\/+$/, '')}/${encodeName(bucket)}`
  return async ({ method, path, query = {}, body = Buffer.alloc(0) }) => {
    const url = new URL(`${root}/${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    let problem = ''
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (attempt > 0) await sleep(FIRST_DELAY_MS * 2 ** (attempt - 1))
      const signed = signRequest({ method, url, headers: {}, body }, credentials, systemClock.now())
      try {
        const reply = await exchange(method, url, signed, body)
        if (reply.status < 300 || reply.status === NOT_FOUND) return reply
        problem = `${reply.status} ${codeIn(reply.body)}`
        if (reply.status < 500 && reply.status !== 429) break
      } catch (error) {
        problem = reasonOf(error)
      }
    }
    throw new OperatorError(`The backup store at ${root} failed (${method}): ${problem}`)
  }
}

async function exchange(
  method: 'GET' | 'PUT' | 'DELETE',
  url: URL,
  headers: Record<string, string>,
  body: Buffer,
): Promise<Reply> {
  const response = await request(url, {
    method,
    // The client writes `host` itself, with the same value.
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'host')),
    ...(method === 'PUT' && { body }),
    signal: AbortSignal.timeout(DEADLINE_MS),
  })
  const bytes = await readUpTo(response.body, RESPONSE_MAX_BYTES)
  if (!bytes) throw new Error('the response is too large')
  return { status: response.statusCode, body: bytes }
}

/** The name of an error does not contain anything of the request. */
const codeIn = (body: Buffer): string =>
  /<Code>(\w{1,64})<\/Code>/.exec(body.toString('utf8'))?.[1] ?? ''

type Listing = { objects: { name: string; bytes: number }[]; next: string | undefined }

function readListing(xml: string): Listing {
  const objects = [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, content = '']) => ({
    name: textOf(content, 'Key'),
    bytes: Number(textOf(content, 'Size')),
  }))
  const token = textOf(xml, 'NextContinuationToken')
  const next = textOf(xml, 'IsTruncated') === 'true' && token !== '' ? token : undefined
  return { objects, next }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&amp;': '&',
}

function textOf(xml: string, name: string): string {
  const [, text = ''] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? []
  return text.replaceAll(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity)
}
