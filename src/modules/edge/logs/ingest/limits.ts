/** Sizes of a log entry that the specification leaves open (OP-18). */

/** Settings of the same name. */
export type EntryLimits = {
  /** Longest message and longest stack. */
  edge_message_max_chars: number
  /** Largest `data`, as JSON. */
  edge_data_max_bytes: number
  /** Of `data`. */
  json_max_depth: number
}

export const DEVICE_ID_MAX_CHARS = 512
/** `category`, `environment`, `trace_id`, `span_id` and each tag. */
export const NAME_MAX_CHARS = 256
/** `error.type` and `error.code`. */
export const ERROR_NAME_MAX_CHARS = 512
export const TAGS_MAX = 100
