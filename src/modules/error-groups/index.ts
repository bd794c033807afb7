/** Groups errors by fingerprint, and finds the constant part of messages. */
export {
  type ErrorFacts,
  groupError,
} from './fingerprint.ts'
export { MESSAGE_MAX, messageTemplate } from './message-template.ts'
export { STACK_MAX } from './stack/frame.ts'
