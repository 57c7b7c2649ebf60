// Generated from spec/messages.schema.json by `npm run generate`. Do not edit.
/** The definition that checks each message type. */
export const DEFINITION_OF_TYPE: Readonly<Record<string, string>> = {
  "hello": "Hello",
  "goodbye": "Goodbye",
  "beat": "Beat",
  "load": "Load",
  "unload": "Unload",
  "run": "Run",
  "put": "Put",
  "get": "Get",
  "drop": "Drop",
  "ping": "Ping",
  "probe": "Probe",
  "restart": "Restart",
  "tally": "Tally",
  "cancel": "Cancel",
  "progress": "Progress",
  "result": "Result",
  "error": "Error",
  "part": "Part",
  "abort": "Abort"
};
/** The schema's definitions, without descriptions. */
export const DEFINITIONS: Readonly<Record<string, object>> = {
  "Id": {
    "type": "integer",
    "minimum": 1,
    "maximum": 9007199254740991
  },
  "Count": {
    "type": "integer",
    "minimum": 0,
    "maximum": 9007199254740991
  },
  "Limits": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "max_frame_bytes",
      "max_message_bytes"
    ],
    "properties": {
      "max_frame_bytes": {
        "type": "integer",
        "minimum": 1024,
        "maximum": 9007199254740991
      },
      "max_message_bytes": {
        "type": "integer",
        "minimum": 1024,
        "maximum": 9007199254740991
      }
    }
  },
  "Capabilities": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "platforms",
      "runtime",
      "cores",
      "threads",
      "simd"
    ],
    "properties": {
      "platforms": {
        "type": "array",
        "items": {
          "type": "string"
        }
      },
      "runtime": {
        "type": "string"
      },
      "cores": {
        "$ref": "#/$defs/Count"
      },
      "threads": {
        "$ref": "#/$defs/Count"
      },
      "simd": {
        "type": "boolean"
      }
    }
  },
  "Block": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "cid",
      "size"
    ],
    "properties": {
      "cid": {
        "type": "string"
      },
      "size": {
        "$ref": "#/$defs/Count"
      }
    }
  },
  "Weight": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "path",
      "cid",
      "size"
    ],
    "properties": {
      "path": {
        "type": "string"
      },
      "cid": {
        "type": "string"
      },
      "size": {
        "$ref": "#/$defs/Count"
      }
    }
  },
  "Lent": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "input",
      "cid",
      "size",
      "dtype",
      "shape"
    ],
    "properties": {
      "input": {
        "type": "string"
      },
      "cid": {
        "type": "string"
      },
      "size": {
        "$ref": "#/$defs/Count"
      },
      "dtype": {
        "type": "string"
      },
      "shape": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/Count"
        }
      }
    }
  },
  "Reference": {
    "type": "object",
    "oneOf": [
      {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "tensor"
        ],
        "properties": {
          "tensor": {
            "type": "string"
          }
        }
      },
      {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "handle"
        ],
        "properties": {
          "handle": {
            "$ref": "#/$defs/Id"
          }
        }
      },
      {
        "type": "object",
        "additionalProperties": false,
        "required": [
          "step",
          "output"
        ],
        "properties": {
          "step": {
            "$ref": "#/$defs/Count"
          },
          "output": {
            "type": "string"
          }
        }
      }
    ]
  },
  "Step": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "model",
      "inputs"
    ],
    "properties": {
      "model": {
        "type": "string"
      },
      "inputs": {
        "type": "object",
        "additionalProperties": {
          "$ref": "#/$defs/Reference"
        }
      }
    }
  },
  "Fetch": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "of",
      "as"
    ],
    "properties": {
      "of": {
        "$ref": "#/$defs/Reference"
      },
      "as": {
        "type": "string"
      }
    }
  },
  "Keep": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "step",
      "output",
      "handle"
    ],
    "properties": {
      "step": {
        "$ref": "#/$defs/Count"
      },
      "output": {
        "type": "string"
      },
      "handle": {
        "$ref": "#/$defs/Id"
      }
    }
  },
  "Hello": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "version",
      "role",
      "agent",
      "limits"
    ],
    "properties": {
      "type": {
        "const": "hello"
      },
      "version": {
        "$ref": "#/$defs/Count"
      },
      "role": {
        "enum": [
          "host",
          "page",
          "engine"
        ]
      },
      "agent": {
        "type": "string"
      },
      "limits": {
        "$ref": "#/$defs/Limits"
      },
      "capabilities": {
        "$ref": "#/$defs/Capabilities"
      }
    }
  },
  "Goodbye": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "reason"
    ],
    "properties": {
      "type": {
        "const": "goodbye"
      },
      "reason": {
        "type": "string"
      }
    }
  },
  "Beat": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "engine"
    ],
    "properties": {
      "type": {
        "const": "beat"
      },
      "engine": {
        "enum": [
          "starting",
          "idle",
          "busy",
          "ended"
        ]
      },
      "request": {
        "$ref": "#/$defs/Id"
      },
      "busy_ms": {
        "type": "number",
        "minimum": 0
      }
    }
  },
  "Load": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "id",
      "model",
      "platform",
      "fallback",
      "dimensions",
      "graph",
      "weights",
      "lent"
    ],
    "properties": {
      "type": {
        "const": "load"
      },
      "id": {
        "$ref": "#/$defs/Id"
      },
      "model": {
        "type": "string"
      },
      "platform": {
        "type": "string"
      },
      "fallback": {
        "type": "boolean"
      },
      "dimensions": {
        "type": "object",
        "additionalProperties": {
          "$ref": "#/$defs/Count"
        }
      },
      "graph": {
        "$ref": "#/$defs/Block"
      },
      "weights": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/Weight"
        }
      },
      "lent": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/Lent"
        }
      }
    }
  },
  "Unload": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "id",
      "model"
    ],
    "properties": {
      "type": {
        "const": "unload"
      },
      "id": {
        "$ref": "#/$defs/Id"
      },
      "model": {
        "type": "string"
      }
    }
  },
  "Run": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "id",
      "steps",
      "fetch",
      "keep"
    ],
    "properties": {
      "type": {
        "const": "run"
      },
      "id": {
        "$ref": "#/$defs/Id"
      },
      "steps": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/Step"
        }
      },
      "fetch": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/Fetch"
        }
      },
      "keep": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/Keep"
        }
      }
    }
  },
  "Put": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "id",
      "handle"
    ],
    "properties": {
      "type": {
        "const": "put"
      },
      "id": {
        "$ref": "#/$defs/Id"
      },
      "handle": {
        "$ref": "#/$defs/Id"
      }
    }
  },
  "Get": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "id",
      "handle"
    ],
    "properties": {
      "type": {
        "const": "get"
      },
      "id": {
        "$ref": "#/$defs/Id"
      },
      "handle": {
        "$ref": "#/$defs/Id"
      }
    }
  },
  "Drop": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "id",
      "handles"
    ],
    "properties": {
      "type": {
        "const": "drop"
      },
      "id": {
        "$ref": "#/$defs/Id"
      },
      "handles": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/Id"
        }
      }
    }
  },
  "Ping": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "id"
    ],
    "properties": {
      "type": {
        "const": "ping"
      },
      "id": {
        "$ref": "#/$defs/Id"
      }
    }
  },
  "Probe": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "id",
      "platforms",
      "measure"
    ],
    "properties": {
      "type": {
        "const": "probe"
      },
      "id": {
        "$ref": "#/$defs/Id"
      },
      "platforms": {
        "type": "array",
        "items": {
          "type": "string"
        }
      },
      "measure": {
        "type": "boolean"
      }
    }
  },
  "Tally": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "id"
    ],
    "properties": {
      "type": {
        "const": "tally"
      },
      "id": {
        "$ref": "#/$defs/Id"
      }
    }
  },
  "Restart": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "id",
      "reason",
      "runtime"
    ],
    "properties": {
      "type": {
        "const": "restart"
      },
      "id": {
        "$ref": "#/$defs/Id"
      },
      "reason": {
        "type": "string"
      },
      "runtime": {
        "type": "string"
      }
    }
  },
  "Cancel": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "id"
    ],
    "properties": {
      "type": {
        "const": "cancel"
      },
      "id": {
        "$ref": "#/$defs/Id"
      }
    }
  },
  "Progress": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "id",
      "stage",
      "done",
      "total"
    ],
    "properties": {
      "type": {
        "const": "progress"
      },
      "id": {
        "$ref": "#/$defs/Id"
      },
      "stage": {
        "type": "string"
      },
      "done": {
        "$ref": "#/$defs/Count"
      },
      "total": {
        "$ref": "#/$defs/Count"
      }
    }
  },
  "Result": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "id",
      "value"
    ],
    "properties": {
      "type": {
        "const": "result"
      },
      "id": {
        "$ref": "#/$defs/Id"
      },
      "value": {
        "type": "object"
      }
    }
  },
  "Error": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "id",
      "code",
      "message",
      "details"
    ],
    "properties": {
      "type": {
        "const": "error"
      },
      "id": {
        "$ref": "#/$defs/Id"
      },
      "code": {
        "type": "string"
      },
      "message": {
        "type": "string"
      },
      "details": {
        "type": "object"
      }
    }
  },
  "Part": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "stream",
      "offset",
      "total"
    ],
    "properties": {
      "type": {
        "const": "part"
      },
      "stream": {
        "$ref": "#/$defs/Id"
      },
      "offset": {
        "$ref": "#/$defs/Count"
      },
      "total": {
        "$ref": "#/$defs/Count"
      }
    }
  },
  "Abort": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "type",
      "stream"
    ],
    "properties": {
      "type": {
        "const": "abort"
      },
      "stream": {
        "$ref": "#/$defs/Id"
      }
    }
  },
  "Port": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "name",
      "dtype",
      "shape"
    ],
    "properties": {
      "name": {
        "type": "string"
      },
      "dtype": {
        "type": "string"
      },
      "shape": {
        "type": "array",
        "items": {
          "type": [
            "integer",
            "string",
            "null"
          ]
        }
      }
    }
  },
  "LoadValue": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "inputs",
      "outputs",
      "platform",
      "backend",
      "device",
      "fell_back",
      "weight_bytes",
      "fetch_ms",
      "create_ms"
    ],
    "properties": {
      "inputs": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/Port"
        }
      },
      "outputs": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/Port"
        }
      },
      "platform": {
        "type": "string"
      },
      "backend": {
        "type": "string"
      },
      "device": {
        "type": "string"
      },
      "fell_back": {
        "type": "array",
        "items": {
          "type": "string"
        }
      },
      "weight_bytes": {
        "$ref": "#/$defs/Count"
      },
      "fetch_ms": {
        "type": "number"
      },
      "create_ms": {
        "type": "number"
      }
    }
  },
  "StepValue": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "model",
      "backend",
      "device",
      "run_ms",
      "readbacks"
    ],
    "properties": {
      "model": {
        "type": "string"
      },
      "backend": {
        "type": "string"
      },
      "device": {
        "type": "string"
      },
      "run_ms": {
        "type": "number"
      },
      "readbacks": {
        "$ref": "#/$defs/Count"
      }
    }
  },
  "RunValue": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "steps",
      "kept",
      "queued_ms",
      "fetch_ms",
      "total_ms",
      "readbacks"
    ],
    "properties": {
      "steps": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/StepValue"
        }
      },
      "kept": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/KeptValue"
        }
      },
      "queued_ms": {
        "type": "number"
      },
      "fetch_ms": {
        "type": "number"
      },
      "total_ms": {
        "type": "number"
      },
      "readbacks": {
        "$ref": "#/$defs/Count"
      }
    }
  },
  "KeptValue": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "handle",
      "dtype",
      "shape"
    ],
    "properties": {
      "handle": {
        "$ref": "#/$defs/Id"
      },
      "dtype": {
        "type": "string"
      },
      "shape": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/Count"
        }
      }
    }
  },
  "DropValue": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "dropped"
    ],
    "properties": {
      "dropped": {
        "$ref": "#/$defs/Count"
      }
    }
  },
  "Ability": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "platform",
      "device",
      "about",
      "f16",
      "gflops",
      "copy_mb_s",
      "details"
    ],
    "properties": {
      "platform": {
        "type": "string"
      },
      "device": {
        "enum": [
          "gpu",
          "software-gpu",
          "npu",
          "cpu",
          "none"
        ]
      },
      "about": {
        "type": "string"
      },
      "f16": {
        "type": "boolean"
      },
      "gflops": {
        "type": "number",
        "minimum": 0
      },
      "copy_mb_s": {
        "type": "number",
        "minimum": 0
      },
      "details": {
        "type": "object"
      }
    }
  },
  "ProbeValue": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "abilities"
    ],
    "properties": {
      "abilities": {
        "type": "array",
        "items": {
          "$ref": "#/$defs/Ability"
        }
      }
    }
  },
  "TallyValue": {
    "type": "object",
    "additionalProperties": false,
    "required": [
      "models",
      "weight_bytes",
      "handles",
      "handle_bytes",
      "tensors"
    ],
    "properties": {
      "models": {
        "$ref": "#/$defs/Count"
      },
      "weight_bytes": {
        "$ref": "#/$defs/Count"
      },
      "handles": {
        "$ref": "#/$defs/Count"
      },
      "handle_bytes": {
        "$ref": "#/$defs/Count"
      },
      "tensors": {
        "$ref": "#/$defs/Count"
      }
    }
  }
};
