/** A `fetch` that loses responses after the service has carried out the request. */

export type LossyFetch = typeof fetch & { requests: { body: string }[] }

/** @param count number of responses that are lost, beginning with the first */
export function lossyFetch(count: number): LossyFetch {
  const requests: { body: string }[] = []
  const send: typeof fetch = async (url, init) => {
    requests.push({ body: typeof init?.body === 'string' ? init.body : '' })
    const response = await fetch(url, init)
    if (requests.length > count) return response
    await response.text()
    throw new TypeError('fetch failed', {
      cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    })
  }
  return Object.assign(send, { requests })
}
