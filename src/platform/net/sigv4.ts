/**
 * Signs requests to S3-compatible stores with AWS Signature Version 4
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
 */
import { createHash, createHmac } from 'node:crypto'

export type SignedRequest = {
  method: string
  /** With its query; names in the path are encoded. */
  url: URL
  headers: Readonly<Record<string, string>>
  body: Buffer
}

export type Credentials = { access_key_id: string; secret_access_key: string; region: string }

const ALGORITHM = 'AWS4-HMAC-SHA256'

/** @returns all headers of the request, which include `authorization` */
export function signRequest(
  { method, url, headers, body }: SignedRequest,
  { access_key_id, secret_access_key, region }: Credentials,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const day = time.slice(0, 'YYYYMMDD'.length)
  const all: Record<string, string> = {
    host: url.host,
    ...headers,
    'x-amz-content-sha256': sha256(body),
    'x-amz-date': time,
  }
  const names = Object.keys(all).toSorted()
  const canonical = [
    method,
    url.pathname,
    canonicalQuery(url.searchParams),
    ...names.map((name) => `${name}:${(all[name] ?? '').trim()}`),
    '',
    names.join(';'),
    all['x-amz-content-sha256'],
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = [ALGORITHM, time, scope, sha256(canonical)].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<Buffer>(
    (previous, part) => hmac(previous, part),
    Buffer.from(`AWS4${secret_access_key}`),
  )
  const signature = hmac(key, text).toString('hex')
  const credential = `Credential=${access_key_id}/${scope}`
  const authorization = `${ALGORITHM} ${credential},SignedHeaders=${names.join(';')},Signature=${signature}`
  return { ...all, authorization }
}

/** RFC 3986, where encodeURIComponent leaves some characters that have to be encoded. */
export const encodeName = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const canonicalQuery = (query: URLSearchParams): string =>
  [...query]
    .map(([name, value]) => `${encodeName(name)}=${encodeName(value)}`)
    .toSorted()
    .join('&')

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex')

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
