/** Size limits of a log entry that the specification leaves open (OP-18). */

/** Limits with a setting of the same name. */
export type EntryLimits = {
  /** Maximum length of the message and of the stack. */
  edge_message_max_chars: number
  /** Maximum size of `data` as JSON. */
  edge_data_max_bytes: number
  /** Maximum nesting depth of `data`. */
  json_max_depth: number
}

export const DEVICE_ID_MAX_CHARS = 512
/** Applies to `category`, `environment`, `trace_id`, `span_id` and each tag. */
export const NAME_MAX_CHARS = 256
/** Applies to `error.type` and `error.code`. */
export const ERROR_NAME_MAX_CHARS = 512
export const TAGS_MAX = 100
