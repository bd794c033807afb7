import { describe, expect, it } from 'vitest'
import { signRequest } from './sigv4.ts'

/** The examples of AWS, https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
const CREDENTIALS = {
  access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
}
const NOW = new Date('2013-05-24T00:00:00Z')
const BUCKET = 'https://examplebucket.s3.amazonaws.com'

const sign = (method: string, path: string, headers: Record<string, string>, body = '') => {
  const request = { method, url: new URL(path, BUCKET), headers, body: Buffer.from(body) }
  const { authorization = '' } = signRequest(request, CREDENTIALS, NOW)
  return /Signature=(.*)$/.exec(authorization)?.[1]
}

describe('a signature', () => {
  it('equals the documented one of a request with headers', () => {
    expect(sign('GET', '/test.txt', { range: 'bytes=0-9' })).toBe(
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    )
  })

  it('equals the documented one of a request with a body', () => {
    const headers = {
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    }
    expect(sign('PUT', '/test%24file.text', headers, 'Welcome to Amazon S3.')).toBe(
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    )
  })

  it('equals the documented one of a request with a query', () => {
    expect(sign('GET', '/?max-keys=2&prefix=J', {})).toBe(
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    )
  })
})
