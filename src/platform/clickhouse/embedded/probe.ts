/** Asks the process of the embedded engine whether it is there, and whether it is the one we mean. */
import type { EngineState } from './state-file.ts'

const TIMEOUT_MS = 2000

/** `busy`: something accepts connections and does not answer in time. */
export type Presence = 'ready' | 'busy' | 'away'

export const urlOf = ({ port }: EngineState): string => `http://127.0.0.1:${port}`

export async function probe(state: EngineState): Promise<Presence> {
  const token = Buffer.from(`${state.username}:${state.password}`).toString('base64')
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const answer = await fetch(`${urlOf(state)}/ping`, {
      headers: { authorization: `Basic ${token}` },
      signal,
    })
    // Of a process that died, another one may have got the number or the port: it knows no password.
    return answer.ok && (await answer.text()) === 'Ok.\n' ? 'ready' : 'away'
  } catch {
    return signal.aborted ? 'busy' : 'away'
  }
}
