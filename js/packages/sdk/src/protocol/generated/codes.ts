// Generated from spec/errors.json by `npm run generate`. Do not edit.
/** Every code: the kind of error it belongs to, and whether a retry may help. */
export const CODES = {
  "unknown_option": {
    "kind": "ConfigError",
    "retryable": false
  },
  "bad_option": {
    "kind": "ConfigError",
    "retryable": false
  },
  "after_fork": {
    "kind": "ConfigError",
    "retryable": false
  },
  "browser_not_found": {
    "kind": "BrowserError",
    "retryable": false
  },
  "browser_failed": {
    "kind": "BrowserError",
    "retryable": true
  },
  "browser_timeout": {
    "kind": "BrowserError",
    "retryable": true
  },
  "port_taken": {
    "kind": "TransportError",
    "retryable": false
  },
  "connection_lost": {
    "kind": "TransportError",
    "retryable": true
  },
  "unauthorized": {
    "kind": "TransportError",
    "retryable": false
  },
  "bad_frame": {
    "kind": "ProtocolError",
    "retryable": false
  },
  "out_of_order": {
    "kind": "ProtocolError",
    "retryable": false
  },
  "version_mismatch": {
    "kind": "ProtocolError",
    "retryable": false
  },
  "too_large": {
    "kind": "ProtocolError",
    "retryable": false
  },
  "closed": {
    "kind": "PoolError",
    "retryable": false
  },
  "worker_lost": {
    "kind": "PoolError",
    "retryable": true
  },
  "timeout": {
    "kind": "PoolError",
    "retryable": true
  },
  "platform_unavailable": {
    "kind": "PoolError",
    "retryable": false
  },
  "hardware_required": {
    "kind": "PoolError",
    "retryable": false
  },
  "wrong_numbers": {
    "kind": "PoolError",
    "retryable": false
  },
  "cancelled": {
    "kind": "PoolError",
    "retryable": false
  },
  "model_not_found": {
    "kind": "ModelError",
    "retryable": false
  },
  "model_package_missing": {
    "kind": "ModelError",
    "retryable": false
  },
  "operator_unsupported": {
    "kind": "ModelError",
    "retryable": false
  },
  "model_invalid": {
    "kind": "ModelError",
    "retryable": false
  },
  "model_not_loaded": {
    "kind": "ModelError",
    "retryable": true
  },
  "block_unavailable": {
    "kind": "ModelError",
    "retryable": true
  },
  "input_missing": {
    "kind": "InferenceError",
    "retryable": false
  },
  "input_unknown": {
    "kind": "InferenceError",
    "retryable": false
  },
  "input_mismatch": {
    "kind": "InferenceError",
    "retryable": false
  },
  "run_failed": {
    "kind": "InferenceError",
    "retryable": false
  },
  "out_of_memory": {
    "kind": "InferenceError",
    "retryable": true
  },
  "tensor_not_found": {
    "kind": "TensorError",
    "retryable": false
  },
  "tensor_exists": {
    "kind": "TensorError",
    "retryable": false
  },
  "tensor_dtype": {
    "kind": "TensorError",
    "retryable": false
  }
} as const;
