/** The part of WebNN that is used here; TypeScript has no types of it. */
export interface Ml {
  createContext(options: { deviceType?: string }): Promise<MlContext>;
}

export interface MlContext {
  createTensor(descriptor: MlTensorDescriptor): Promise<MlTensor>;
  writeTensor(tensor: MlTensor, data: BufferSource): void;
  readTensor(tensor: MlTensor): Promise<ArrayBuffer>;
  dispatch(
    graph: MlGraph,
    inputs: Record<string, MlTensor>,
    outputs: Record<string, MlTensor>,
  ): void;
  opSupportLimits?(): Record<string, Record<string, { dataTypes?: readonly string[] }>>;
  destroy?(): void;
}

export interface MlDescriptor {
  readonly dataType: "float32";
  readonly shape: readonly number[];
}

export interface MlTensorDescriptor extends MlDescriptor {
  readonly readable?: boolean;
  readonly writable?: boolean;
}

export interface MlTensor {
  destroy(): void;
}

export interface MlGraph {
  /** What it runs on. Only this tells: a context is made whatever it is asked for. */
  readonly devices?: readonly string[];
  destroy?(): void;
}

export type MlOperand = object;

export interface MlGraphBuilder {
  input(name: string, descriptor: MlDescriptor): MlOperand;
  constant(descriptor: MlDescriptor, data: BufferSource): MlOperand;
  matmul(a: MlOperand, b: MlOperand): MlOperand;
  build(outputs: Record<string, MlOperand>): Promise<MlGraph>;
}

/** WebNN in this realm, if it is there. */
export function ml(): Ml | undefined {
  return (navigator as { ml?: Ml }).ml;
}

/** A new builder of graphs. */
export function graphBuilder(context: MlContext): MlGraphBuilder {
  const { MLGraphBuilder } = globalThis as unknown as {
    MLGraphBuilder: new (context: MlContext) => MlGraphBuilder;
  };
  return new MLGraphBuilder(context);
}
