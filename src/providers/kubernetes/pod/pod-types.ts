// The parts of the API's objects that this provider writes or reads. Others are kept as they are.

/** An object that the API server has. */
export interface Metadata {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** As in ISO 8601. */
  readonly creationTimestamp: string;
  /** Set if it is being deleted. */
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Amounts by resource, such as `{ memory: '256Mi' }`. */
export type Quantities = Readonly<Record<string, string>>;

export interface Resources {
  readonly limits?: Quantities;
  readonly requests?: Quantities;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: object;
  }[];
  readonly resources?: Resources;
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface Volume {
  readonly name: string;
  readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: string };
  readonly [source: string]: unknown;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly [field: string]: unknown;
}

export interface PodTemplate {
  readonly metadata: Metadata;
  readonly template: {
    readonly metadata?: {
      readonly labels?: Readonly<Record<string, string>>;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly spec: PodSpec;
  };
}

/** How far a container has come. One of the three is set. */
export interface ContainerState {
  readonly running?: object;
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly terminated?: {
    readonly reason?: string;
    readonly message?: string;
    readonly exitCode: number;
    readonly finishedAt?: string;
  };
}

export interface PodStatus {
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
  }[];
  readonly containerStatuses?: readonly {
    readonly name: string;
    readonly state?: ContainerState;
  }[];
}

export interface Pod {
  readonly metadata: Metadata;
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}
