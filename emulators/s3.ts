/**
 * A bucket of an S3-compatible store for tests: the operations PutObject, GetObject, DeleteObject and
 * ListObjectsV2 with their documented wire format, and the check of signatures (AWS Signature Version 4).
 * Objects are in memory.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { readBody } from './http-message.ts'
import { listen } from './listen.ts'

export type S3Emulator = {
  readonly url: string
  /** The objects of the bucket by their names. */
  readonly objects: Map<string, Buffer>
  /** Number of requests that are answered with 503 before the next one succeeds. */
  failNext: (count: number) => void
  close: () => Promise<void>
}

export type S3EmulatorOptions = {
  bucket: string
  access_key_id: string
  secret_access_key: string
  region: string
  /** Maximum number of names in one page of a list; S3 has 1000. */
  page_size?: number
}

const OBJECT_MAX_BYTES = 134_217_728
const PAGE_SIZE = 1000

export async function startS3(options: S3EmulatorOptions): Promise<S3Emulator> {
  const objects = new Map<string, Buffer>()
  let failing = 0
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request, OBJECT_MAX_BYTES)
    const url = new URL(request.url ?? '/', 'http://bucket')
    if (failing > 0) {
      failing -= 1
      return sendError(response, 503, 'SlowDown')
    }
    const fault = faultOf(request, url, body, options)
    if (fault !== undefined) return sendError(response, 403, fault)
    const [, bucket, ...rest] = url.pathname.split('/').map(decodeURIComponent)
    if (bucket !== options.bucket) return sendError(response, 404, 'NoSuchBucket')
    const name = rest.join('/')
    if (name === '' && request.method === 'GET') return list(response, url, options, objects)
    switch (request.method ?? '') {
      case 'PUT':
        objects.set(name, body)
        return response.writeHead(200, { etag: `"${md5(body)}"` }).end()
      case 'GET': {
        const found = objects.get(name)
        return found ? response.writeHead(200).end(found) : sendError(response, 404, 'NoSuchKey')
      }
      case 'DELETE':
        objects.delete(name)
        return response.writeHead(204).end()
      default:
        return sendError(response, 405, 'MethodNotAllowed')
    }
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  const { address } = await listen(server, { port: 0, host: '127.0.0.1' })
  return {
    url: `http://${address}`,
    objects,
    failNext: (count) => {
      failing = count
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html */
function list(
  response: ServerResponse,
  { searchParams }: URL,
  { bucket, page_size = PAGE_SIZE }: S3EmulatorOptions,
  objects: ReadonlyMap<string, Buffer>,
): ServerResponse {
  if (searchParams.get('list-type') !== '2') return sendError(response, 400, 'InvalidArgument')
  const prefix = searchParams.get('prefix') ?? ''
  const after = searchParams.get('continuation-token') ?? ''
  const names = [...objects.keys()].filter((name) => name.startsWith(prefix) && name > after)
  const page = names.toSorted().slice(0, page_size)
  const isTruncated = names.length > page.length
  const contents = page.map(
    (name) =>
      `<Contents><Key>${xmlText(name)}</Key><Size>${objects.get(name)?.length ?? 0}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
  )
  const next = isTruncated
    ? `<NextContinuationToken>${xmlText(page.at(-1) ?? '')}</NextContinuationToken>`
    : ''
  return response
    .writeHead(200, { 'content-type': 'application/xml' })
    .end(
      `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${bucket}</Name><Prefix>${xmlText(prefix)}</Prefix><KeyCount>${page.length}</KeyCount><MaxKeys>${page_size}</MaxKeys><IsTruncated>${isTruncated}</IsTruncated>${contents.join('')}${next}</ListBucketResult>`,
    )
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/

/** @returns the code of the error with which S3 refuses a request that is not signed correctly */
function faultOf(
  { method = '', headers }: IncomingMessage,
  url: URL,
  body: Buffer,
  { access_key_id, secret_access_key, region }: S3EmulatorOptions,
): string | undefined {
  const [, id, day = '', place, signed = '', signature = ''] =
    AUTHORIZATION.exec(headers.authorization ?? '') ?? []
  if (id === undefined) return 'AccessDenied'
  if (id !== access_key_id) return 'InvalidAccessKeyId'
  if (place !== region) return 'AuthorizationHeaderMalformed'
  if (headers['x-amz-content-sha256'] !== sha256(body)) return 'XAmzContentSHA256Mismatch'
  const time = String(headers['x-amz-date'])
  const names = signed.split(';')
  if (!time.startsWith(day) || !names.includes('host')) return 'AccessDenied'
  const query = (url.search.slice(1) === '' ? [] : url.search.slice(1).split('&'))
    .map((pair) =>
      pair.split('=').map((part) => strictly(decodeURIComponent(part.replaceAll('+', ' ')))),
    )
    .map(([name = '', value = '']) => `${name}=${value}`)
    .toSorted()
  const canonical = `${method}\n${url.pathname}\n${query.join('&')}\n${names
    .map((name) => `${name}:${String(headers[name]).trim()}\n`)
    .join('')}\n${signed}\n${headers['x-amz-content-sha256']}`
  const text = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/s3/aws4_request\n${sha256(canonical)}`
  let key = hmac(`AWS4${secret_access_key}`, day)
  for (const part of [region, 's3', 'aws4_request']) key = hmac(key, part)
  const isRight = timingSafeEqual(hmac(key, text), Buffer.from(signature, 'hex'))
  return isRight ? undefined : 'SignatureDoesNotMatch'
}

function sendError(response: ServerResponse, status: number, code: string): ServerResponse {
  return response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`)
}

const strictly = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex')
const md5 = (data: Buffer): string => createHash('md5').update(data).digest('hex')
const hmac = (key: Buffer | string, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest()

const xmlText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
