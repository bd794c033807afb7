/** Groups errors by fingerprint, and finds the constant part of messages. */
export {
  type ErrorFacts,
  groupError,
} from './fingerprint.ts'
export { messageTemplate } from './message-template.ts'
