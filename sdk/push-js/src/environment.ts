/** Time, chance and network, which the tests of the contract replace. */

export type HttpRequest = {
  method: 'POST'
  headers: Record<string, string>
  body: string
  redirect: 'manual'
  signal: AbortSignal
}

export type Environment = {
  now: () => number
  /** From 0 up to 1. */
  random: () => number
  uuid: () => string
  fetch: (url: string, request: HttpRequest) => Promise<{ status: number; text(): Promise<string> }>
  /** Calls the function later, and returns a function that prevents it. */
  delay: (callback: () => unknown, ms: number) => () => void
}

export const systemEnvironment = (): Environment => ({
  now: Date.now,
  random: Math.random,
  uuid: randomUuid,
  fetch: async (url, request) => await fetch(url, request),
  delay: (callback, ms) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
})

/** `Math.random` can be predicted, and the secret of the subscription derives from this id. */
function randomUuid(): string {
  const { crypto } = globalThis as {
    crypto?: Partial<typeof globalThis.crypto>
  }
  if (crypto?.randomUUID) return crypto.randomUUID()
  if (!crypto?.getRandomValues) {
    throw new Error('This platform has no secure random numbers: pass the option random_uuid')
  }
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
