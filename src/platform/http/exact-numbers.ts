import { withNumbers } from '../exact-json.ts'

/** Option `onSend` of routes that respond with values of `parseExact`. */
export const sendExactNumbers = (
  _request: unknown,
  _reply: unknown,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void => done(null, typeof payload === 'string' ? withNumbers(payload) : payload)
