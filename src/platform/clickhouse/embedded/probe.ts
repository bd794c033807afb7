/** Checks whether the process of the embedded engine is running and answers. */
import type { EngineState } from './state-file.ts'

const TIMEOUT_MS = 2000

/** `busy` means that a process accepts connections but does not answer in time. */
export type Presence = 'ready' | 'busy' | 'gone'

export const urlOf = ({ port }: EngineState): string => `http://127.0.0.1:${port}`

export async function probe(state: EngineState): Promise<Presence> {
  const token = Buffer.from(`${state.username}:${state.password}`).toString('base64')
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await fetch(`${urlOf(state)}/ping`, {
      headers: { authorization: `Basic ${token}` },
      signal,
    })
    // Another process may have got the PID or port of one that died, but it does not know the password.
    return response.ok && (await response.text()) === 'Ok.\n' ? 'ready' : 'gone'
  } catch {
    return signal.aborted ? 'busy' : 'gone'
  }
}
