// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ../hip_runtime.h of the folder above.
#pragma once
